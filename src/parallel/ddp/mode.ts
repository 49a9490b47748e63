/**
 * DistributedDataParallel: the axis dpReplicate by itself (axes/replicas). The mechanism is in this folder: the step in
 * ddp-step.ts, the reducer in reducer.ts.
 */
import { Part } from '../../base/part';
import { spmd } from '../axes/spmd';
import { SCRIPT } from '../mode';
import { ddp as face } from './face';

export const ddp = spmd({
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).ddpListing),
});
