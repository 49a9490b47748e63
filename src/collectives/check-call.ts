/**
 * Refuses the calls that torch.distributed refuses, in its words, and maps a reduce operation to the operation of a
 * receive. Called by recipe.ts.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import { REDUCE_OPS, type ReduceOp } from '../protocol/collective';
import type { Apply } from '../protocol/trace';
import type { CollectiveCall } from './collective';

const APPLY: Readonly<Record<ReduceOp, Apply>> = {
  sum: 'add',
  // NCCL's ncclAvg on floats: each rank's values are multiplied by 1/N, then summed.
  avg: 'add',
  product: 'multiply',
  min: 'min',
  max: 'max',
  band: 'band',
  bor: 'bor',
  bxor: 'bxor',
};

export const applyOf = ({ reduceOp = 'sum' }: CollectiveCall): Apply => APPLY[reduceOp];

const BITWISE: readonly ReduceOp[] = ['band', 'bor', 'bxor'];
const IN_BLOCKS: readonly CollectiveCall['op'][] = ['scatter', 'reduceScatter', 'allToAll'];
const REDUCES: readonly CollectiveCall['op'][] = ['allReduce', 'reduce', 'reduceScatter'];
const IN_PLACE: readonly CollectiveCall['op'][] = ['allReduce', 'broadcast', 'reduce', 'barrier'];

export function checkCall(call: CollectiveCall): void {
  const { op, group, length, reduceOp = 'sum', root = 0, input, builder } = call;
  const refuse = (message: string, hint: string): never => {
    throw new LockstepError('program', message, hint);
  };
  if (!REDUCE_OPS.includes(reduceOp)) refuse(`Unhandled ReduceOp ${reduceOp}`, `One of ${REDUCE_OPS.join(', ')}.`);
  if (root < 0 || root >= group.ranks.length)
    refuse(`${op}: invalid root rank: ${root}`, `The group has ranks 0 to ${group.ranks.length - 1}.`);
  if (IN_BLOCKS.includes(op) && length % group.ranks.length !== 0)
    refuse(
      `${op}: input tensor must be the same size as output size times world size`,
      `${length} elements do not divide by ${group.ranks.length} ranks.`,
    );
  if (!IN_PLACE.includes(op)) must(call.output, `${op}: the output`);
  if (!REDUCES.includes(op)) return;
  const { dtype } = at(builder.lanesOf(group), 0).spec(input);
  if (BITWISE.includes(reduceOp) && dtype === 'f32')
    refuse(
      `Cannot use ReduceOp.${reduceOp.toUpperCase()} with non-integral dtype`,
      'Bitwise operations need int32 tensors.',
    );
  if (reduceOp === 'avg' && dtype !== 'f32')
    refuse('Cannot use ReduceOp.AVG with integral dtype here', 'Use SUM and divide, or a float32 tensor.');
}
