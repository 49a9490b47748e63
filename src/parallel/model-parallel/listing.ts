/** The PyTorch script of a model whose layers are on several devices. Called through mode.ts. */
import { codeLine as line } from '../../interop/pytorch/code-line';
import { enoughGpus } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { splitModelCode } from '../../interop/pytorch/model';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

/** Under model parallel the forward pass moves between devices; checkpoint_sequential cannot do that. */
const again = ({ checkpointSegments: segments }: Config): readonly string[] =>
  segments === undefined
    ? []
    : [
        `# the run also checkpoints ${segments} segment${segments === 1 ? '' : 's'} on each device (torch.utils.checkpoint): less memory, the same losses`,
      ];

export function modelParallelListing(
  config: Config,
  layersOfDevice: readonly (readonly number[])[],
  dialect: Dialect = LISTING,
): CodeLine[] {
  const { layers } = config.model;
  const devices = layers.map((_, i) => layersOfDevice.findIndex((own) => own.includes(i)));
  return dialect.assemble(config, {
    about: `with its layers on ${layersOfDevice.length} GPUs, which one process drives`,
    devices: layersOfDevice.length,
    placing: [enoughGpus(layersOfDevice.length)],
    model: splitModelCode(layers, devices, dialect),
    notes: again(config),
    loaders: loader(config, dialect, 'gpus'),
    loop: {
      inputs: dialect.layer(0, 0),
      targets: dialect.layer(layersOfDevice.length - 1, layers.length - 1),
      log: dialect.loss('loss', false),
      forwardAnchor: 'none',
      inBackward: [line('#   gradients of activations sent back', 'send_gradient')],
    },
  });
}
