/** The PyTorch script of one device. Called through mode.ts. */
import { modelCode } from '../../interop/pytorch-model';
import { FIRST, loader, script } from '../../interop/pytorch-script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function singleListing(config: Config): CodeLine[] {
  return script(config, {
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    loaders: [loader(config)],
    loop: { inputs: FIRST, targets: FIRST },
  });
}
