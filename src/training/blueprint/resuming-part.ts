/** Reading of checkpoints and weights: loaded for a run with `resume` or `weights`. */
import { Part } from '../../base/part';

export const RESUMING = new Part('The reader of checkpoints', () => import('../checkpoint/resuming'));
if (!globalThis.LOCKSTEP_SITE) await RESUMING.load();
