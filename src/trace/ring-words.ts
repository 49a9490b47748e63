/**
 * The direction of a ring, for views that show it: ours follows gloo's order of sums, and other sources draw it the
 * other way round. Pure; for the stage and the lab.
 */
import type { StepTrace } from '../protocol/trace';

export const RING_SHORT = 'ring: each rank sends to the rank before it';
export const RING_WHY =
  'Each rank sends to the rank before it, as in gloo’s ring, whose order of additions this run follows bit for bit, even if the script uses nccl. ' +
  'NCCL’s rings, and most textbooks, send to the rank after. Bytes, rounds and time are the same.';

/** Whether the step has a ring with a direction: with two ranks both neighbours are the same rank. */
export const turnsRing = ({ events }: StepTrace): boolean =>
  new Set(events.flatMap((e) => (e.collective?.algorithm === 'ring' ? [e.device] : []))).size > 2;
