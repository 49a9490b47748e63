/**
 * The PyTorch script of a pipeline: torch.distributed.pipelining, with DistributedDataParallel around the stages where
 * there are replicas. It follows torch 2.13 as it was seen to behave, on the CPU over gloo too. Called through mode.ts.
 */
import { clipLines } from '../../interop/pytorch-clip';
import { listedModelCode } from '../../interop/pytorch-model';
import {
  checkpointedStage,
  type PipelineShape,
  pipelineImports,
  ranksLines,
  scheduleLines,
  stageLines,
} from '../../interop/pytorch-pipeline';
import { line, lines, loader, script } from '../../interop/pytorch-script';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { CodeLine } from '../../protocol/trace';
import { layerRanges } from './split';
import { scheduleOf } from './stages';

export function pipelineListing(config: Config): CodeLine[] {
  const { rankOfStage, microBatches } = scheduleOf(config);
  const ranges = layerRanges(config);
  const shape: PipelineShape = {
    ...meshSizes(config),
    rankOfStage,
    cuts: [0, ...ranges.map(({ end }) => end)],
    microBatches,
    bare: [],
  };
  const model = listedModelCode(config.model.layers);
  return script(config, {
    imports: [...pipelineImports(config, shape)],
    setUp: ranksLines(shape, []),
    tearDown: ['torch.distributed.destroy_process_group()'],
    model: { ...model, classes: [...model.classes, ...checkpointedStage(config)] },
    afterModel: lines(...stageLines(config, shape, { layers: model.layers, flat: model.layers === 'model' })),
    parameters: { all: 'parameters.values()', named: 'parameters.items()' },
    loaders: [...scheduleLines(config, shape), loader(config)],
    loop: {
      inputs: 'device',
      targets: 'device',
      ranks: true,
      body: (advance) => [
        line('optimizer.zero_grad()', 'zero_grad'),
        line('losses = []'),
        line('args, target = [x] if first else [], y if last else None'),
        line('schedule.step(*args, target=target, losses=losses)'),
        line('#   SEND_F, RECV_F: activations to the next stage', 'send_activation'),
        line('#   F: forward of the stage, for each micro-batch', 'forward'),
        line('#   on the last stage then the loss of the micro-batch', 'loss'),
        line('#   B: backward, or I and W: for the input and for the weights', 'backward'),
        line('#   SEND_B, RECV_B: gradients to the stage before', 'send_gradient'),
        line('#   scale_grads: the sums divided by the number of micro-batches', 'scale_grads'),
        ...clipLines(config),
        line('optimizer.step()', 'step'),
        ...advance,
        line('if last:'),
        line('    print(torch.stack(losses).double().mean().item())'),
      ],
    },
  });
}
