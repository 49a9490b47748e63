/**
 * Recognises a known schedule in a user's orders, so that the editor can say "this is 1F1B". Two schedules can be equal
 * at small sizes; then the first in the list of names is returned.
 */
import { SCHEDULE_NAMES, type ScheduleName } from '../protocol/pipeline';
import { sameCell } from './cell';
import { makeSchedule, type Schedule } from './schedule';
import { isSize } from './size-rules';

/** Undefined: none matches. Matches are exact: every cell in its place, every stage on its rank. */
export function recognise(schedule: Schedule): ScheduleName | undefined {
  const { ranks, stages, microBatches } = schedule;
  const shape = { ranks, stagesPerRank: stages / ranks, microBatches };
  return SCHEDULE_NAMES.find((name) => isSize(name, shape) && isSame(schedule, makeSchedule({ name, ...shape })));
}

const isSame = (a: Schedule, b: Schedule): boolean =>
  a.rankOfStage.every((rank, stage) => rank === b.rankOfStage[stage]) &&
  a.orders.every((order, rank) => {
    const other = b.orders[rank] ?? [];
    return order.length === other.length && order.every((cell, i) => sameCell(cell, other[i] ?? cell));
  });
