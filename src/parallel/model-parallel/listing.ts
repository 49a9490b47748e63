/** The PyTorch script of a model whose layers are on several devices. Called through mode.ts. */
import { codeLine as line } from '../../interop/pytorch/code-line';
import { enoughGpus } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { splitModelCode } from '../../interop/pytorch/model';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { layersOfDevice } from './compiler';

/** Under model parallel the forward pass moves between devices; checkpoint_sequential cannot do that. */
const again = ({ checkpointSegments: segments }: Config): readonly string[] =>
  segments === undefined
    ? []
    : [
        `# the run also checkpoints ${segments} segment${segments === 1 ? '' : 's'} on each device (torch.utils.checkpoint): less memory, the same losses`,
      ];

export function modelParallelListing(config: Config, dialect: Dialect = LISTING): CodeLine[] {
  const { layers } = config.model;
  const split = layersOfDevice(config);
  const devices = layers.map((_, i) => split.findIndex((own) => own.includes(i)));
  return dialect.assemble(config, {
    about: `with its layers on ${split.length} GPUs, which one process drives`,
    devices: split.length,
    placing: [enoughGpus(split.length)],
    model: splitModelCode(layers, devices, dialect),
    notes: again(config),
    loaders: loader(config, dialect, 'gpus'),
    loop: {
      inputs: dialect.layer(0, 0),
      targets: dialect.layer(split.length - 1, layers.length - 1),
      log: dialect.loss('loss', false),
      forwardAnchor: 'none',
      inBackward: [line('#   gradients of activations sent back', 'send_gradient')],
    },
  });
}
