/** The PyTorch script with nn.DataParallel. Called through mode.ts. */
import { codeLine as line } from '../../interop/pytorch/code-line';
import { ONE_DEVICE } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { modelCode } from '../../interop/pytorch/model';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function dataParallelListing(config: Config, dialect: Dialect = LISTING): CodeLine[] {
  const devices = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return dialect.assemble(config, {
    about: `with DataParallel: one process, ${config.worldSize} GPUs`,
    devices: config.worldSize,
    placing: ONE_DEVICE,
    model: modelCode(config.model.layers, 'device', config.checkpointSegments),
    wrapper: line(dialect.dataParallel(devices)),
    loaders: loader(config, dialect, dialect.pinned),
    loop: {
      inputs: 'device',
      targets: 'device',
      log: dialect.loss('loss', false),
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
