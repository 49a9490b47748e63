/**
 * The words about failures of a run: its explanation, its notices, and who waits for whom. Loaded when the run is open,
 * so that they do not delay the first step; if ranks run in workers, loaded before (load-parts).
 */
import { Part } from '../../base/part';

export const FAILURE_WORDS = new Part('The words about failures', () => import('./failure-reports'));
if (!globalThis.LOCKSTEP_SITE) await FAILURE_WORDS.load();
