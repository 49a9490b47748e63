/**
 * How a PyTorch script is written. The listing beside the run (script.ts) is of CUDA and as short as can be; train.py,
 * which a run is exported as (export/train-file.ts), takes the devices that it is given. A mode writes its script once,
 * in either.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from './code-line';
import type { Script } from './script-parts';
import type { Wording } from './wording';

export interface Dialect extends Wording {
  /** Does a rank of a pipeline go on from a checkpoint of the whole model? */
  readonly resumesStages: boolean;
  /** The whole text. */
  assemble(config: Config, parts: Script): CodeLine[];
}
