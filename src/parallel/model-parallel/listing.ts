/** The PyTorch script of a model whose layers are on several devices. Called through mode.ts. */
import { splitModelCode } from '../../interop/pytorch-model';
import { FIRST, line, loader, script } from '../../interop/pytorch-script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

/** Under model parallel the forward pass goes from device to device, which checkpoint_sequential does not. */
const again = ({ checkpointSegments: segments }: Config): readonly string[] =>
  segments === undefined
    ? []
    : [
        `# the run also checkpoints ${segments} segment${segments === 1 ? '' : 's'} on each device (torch.utils.checkpoint): less memory, the same losses`,
      ];

export function modelParallelListing(config: Config, layersOfDevice: readonly (readonly number[])[]): CodeLine[] {
  const { layers } = config.model;
  const devices = layers.map((_, i) => layersOfDevice.findIndex((own) => own.includes(i)));
  return script(config, {
    model: splitModelCode(layers, devices),
    notes: again(config),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: `'cuda:${layersOfDevice.length - 1}'`,
      forwardAnchor: 'none',
      inBackward: [line('#   gradients of activations sent back', 'send_gradient')],
    },
  });
}
