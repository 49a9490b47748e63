/**
 * Looped BFS (breadth first): all forward passes stage by stage, then all backward passes stage by stage in reverse,
 * the last micro-batch first. Source: ScheduleLoopedBFS.
 */
import { action } from '../cell';
import { count, type OrderMaker } from './order-maker';

export const loopedBfs: OrderMaker = ({ ranks, stagesPerRank, microBatches }, rank) => {
  const stages = count(stagesPerRank).map((local) => local * ranks + rank);
  return [
    ...stages.flatMap((stage) => count(microBatches).map((m) => action(stage, 'F', m))),
    ...stages.toReversed().flatMap((stage) =>
      count(microBatches)
        .toReversed()
        .map((m) => action(stage, 'B', m)),
    ),
  ];
};
