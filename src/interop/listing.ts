/**
 * The writer of the PyTorch script as a part: the page asks for the script once a run is open, and the words for a
 * failure name its lines where it has come.
 */
import { Part } from '../base/part';

export const LISTING = new Part('The PyTorch script', () => import('./pytorch-code'));
if (!globalThis.LOCKSTEP_SITE) await LISTING.load();
