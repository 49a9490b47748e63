/** The PyTorch script with nn.DataParallel. Called through mode.ts. */
import { modelCode } from '../../interop/pytorch-model';
import { FIRST, line, loader, script } from '../../interop/pytorch-script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function dataParallelListing(config: Config): CodeLine[] {
  const devices = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return script(config, {
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    wrapper: line(`model = nn.DataParallel(model, device_ids=[${devices}])`),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: FIRST,
      inForward: [
        line('#   scatter: a chunk of x to each device', 'scatter'),
        line('#   replicate: parameters and buffers to each device', 'replicate'),
        line('#   parallel_apply: each replica on its chunk', 'parallel_apply'),
        line('#   gather: the outputs on cuda:0', 'gather'),
      ],
      inBackward: [line('#   the gradients of all replicas summed on cuda:0', 'reduce')],
    },
  });
}
