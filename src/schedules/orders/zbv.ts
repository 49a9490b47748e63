/**
 * ZBV: two stages per rank in a V, every backward pass split. It is designed for at least 2P-1 micro-batches; with
 * fewer, the missing ones are left out and the ranks wait in their place. Source: ScheduleZBVZeroBubble, Qi et al.
 * 2024.
 */
import { count, type OrderMaker, stageActions } from './order-maker';

export const zbv: OrderMaker = ({ ranks, microBatches }, rank) => {
  const laidOut = Math.max(2 * ranks - 1, microBatches);
  const low = stageActions(rank);
  const high = stageActions(2 * ranks - 1 - rank);
  const lowForwardsBefore = 2 * ranks - 1 - rank;
  const order = [
    count(2 * (ranks - rank) - 1).map(low.F),
    count(rank).map(() => [high.F(), low.F()]),
    count(ranks - rank).map(() => [high.F(), high.I(), high.W()]),
    count(laidOut - ranks).map((turn) => [
      ...(lowForwardsBefore + turn < laidOut ? [low.F()] : []),
      ...[low.I(), low.W(), high.F(), high.I(), high.W()],
    ]),
    count(rank).map(() => [low.I(), high.I()]),
    count(ranks - rank).map(() => [low.I(), low.W()]),
    count(rank).map(high.W),
    count(rank).map(low.W),
  ];
  return order.flat(2).filter(({ microBatch }) => microBatch < microBatches);
};
