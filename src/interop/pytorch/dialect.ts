/**
 * A style of PyTorch script. The listing beside the run (script.ts) is as short as possible; train.py of an exported
 * run (export/train-file.ts) uses the devices of its options. A mode writes its script once, for both dialects.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from './code-line';
import type { Script } from './script-parts';
import type { Wording } from './wording';

export interface Dialect extends Wording {
  /** Whether ranks that have parts of the model can resume from a checkpoint of the whole model. */
  readonly resumesStages: boolean;
  /** Puts the parts together into the whole text. */
  assemble(config: Config, parts: Script): CodeLine[];
}
