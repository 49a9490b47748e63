/** The PyTorch script of one device. Called through mode.ts. */
import type { Dialect } from '../../interop/pytorch/dialect';
import { modelCode } from '../../interop/pytorch/model';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function singleListing(config: Config, dialect: Dialect = LISTING): CodeLine[] {
  return dialect.assemble(config, {
    about: 'on one device',
    model: modelCode(config.model.layers, dialect.single, config.checkpointSegments),
    loaders: loader(config, dialect),
    loop: { inputs: dialect.single, targets: dialect.single, log: dialect.loss('loss', false) },
  });
}
