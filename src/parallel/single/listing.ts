/** The PyTorch script of one device. Called through mode.ts. */
import { ONE_DEVICE } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { modelCode } from '../../interop/pytorch/model';
import { masterImports, modelTypeLines } from '../../interop/pytorch/precision';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function singleListing(config: Config, dialect: Dialect = LISTING): CodeLine[] {
  return dialect.assemble(config, {
    about: 'on one device',
    placing: ONE_DEVICE,
    imports: masterImports(config),
    model: modelCode(config.model.layers, 'device', config.checkpointSegments),
    afterModel: modelTypeLines(config),
    loaders: loader(config, dialect, dialect.pinned),
    loop: { inputs: 'device', targets: 'device', log: dialect.loss('loss', false) },
  });
}
