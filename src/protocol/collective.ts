/**
 * The names of torch.distributed's collectives and of the algorithms, as used by the configuration, the trace and the
 * lab.
 */

export { ALGORITHM_NAMES, type AlgorithmName } from './words/algorithms';

export const COLLECTIVE_OPS = [
  'allReduce',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'allGather',
  'reduceScatter',
  'allToAll',
  'barrier',
  'sendRecv',
] as const;
export type CollectiveOp = (typeof COLLECTIVE_OPS)[number];

/**
 * torch.distributed.ReduceOp. The bitwise ones take int32, avg float32. (gloo averages in current PyTorch; 1.13
 * refused.)
 */
export const REDUCE_OPS = ['sum', 'product', 'min', 'max', 'avg', 'band', 'bor', 'bxor'] as const;
export type ReduceOp = (typeof REDUCE_OPS)[number];

/** The cost of a message: alpha + bytes / beta. */
export interface Link {
  /** alpha: microseconds per message, for any size. */
  readonly latencyUs: number;
  readonly bytesPerSecond: number;
}
