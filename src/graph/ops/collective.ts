/**
 * Collectives inside a graph: a tensor of every rank's, gathered or summed in the middle of forward or backward, as
 * SyncBatchNorm does it. A graph is that of one rank, so these nodes say only what comes in and goes out; the mode
 * emits them as transfers between its devices, and no runtime ever sees them.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { elements } from '../../tensor/shape';
import type { OpDef } from '../op';

const collective = (name: string, infer: OpDef['infer']): OpDef => {
  const misplaced = (): never => {
    const hint = 'Only a mode with several ranks can run it.';
    throw new LockstepError('internal', `a Program contains ${name} instead of its transfers`, hint);
  };
  return { name, infer, cpu: misplaced, lower: misplaced, flops: () => 0 };
};

/** Input [n]; output [ranks * n]; attr `ranks`. */
export const ALL_GATHER = 'collective/all-gather';
/** Input and output [n], summed over the ranks. */
export const ALL_REDUCE = 'collective/all-reduce';

export const COLLECTIVE_OPS: readonly OpDef[] = [
  collective(ALL_GATHER, (inputs, attrs) => [
    { shape: [Number(attrs.ranks) * elements(at(inputs, 0).shape)], dtype: 'f32' },
  ]),
  collective(ALL_REDUCE, (inputs) => [at(inputs, 0)]),
];

export const isCollective = ({ op }: { readonly op: string }): boolean => op === ALL_GATHER || op === ALL_REDUCE;
