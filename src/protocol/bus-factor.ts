/**
 * The ratio of bus bandwidth to algorithm bandwidth, which makes a collective's bandwidth comparable to a link's for
 * any number of ranks (doc/PERFORMANCE.md of nccl-tests). Our own benchmark and the figures of recordings share it.
 */
import type { CollectiveOp } from './collective';

export const BUS_FACTOR: Readonly<Record<CollectiveOp, (ranks: number) => number>> = {
  allReduce: (n) => (2 * (n - 1)) / n,
  reduceScatter: (n) => (n - 1) / n,
  allGather: (n) => (n - 1) / n,
  allToAll: (n) => (n - 1) / n,
  scatter: (n) => (n - 1) / n,
  gather: (n) => (n - 1) / n,
  broadcast: () => 1,
  reduce: () => 1,
  sendRecv: () => 1,
  barrier: () => 1,
};
