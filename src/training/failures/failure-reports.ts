/** What failure-words-part.ts loads. */
export { explainFailure } from './failure-words';
export { gaveUpNotice, recoveredNotice, restartingNotice } from './recovery-notices';
export { standstillAfter, standstillOf } from './standstill';
