/**
 * Finds ranks that wait for one another in a circle by simulating the orders. Actions that are missing, or too late on
 * the same rank, are separate complaints (check-schedule.ts) and count as done here.
 */
import { must } from '../base/invariant';
import { partsOf } from './cell';
import { printAction, printCell } from './cell-text';
import type { Complaint } from './complaint';
import type { ActionPlace, ActionPlaces } from './dependencies';
import { type Blocked, execute } from './execution';
import type { Schedule } from './schedule';

/** The message names at most this many ranks of a circle. */
const MOST_SAID = 6;

export function deadlockOf({ orders }: Schedule, { placeOf, dependenciesOf }: ActionPlaces): Complaint | undefined {
  const { blocked } = execute(
    orders.map((order) => order.map(partsOf)),
    (part, place) =>
      dependenciesOf(part).filter((needed) => {
        const other = placeOf(needed);
        return other && (other.rank !== place.rank || other.index < place.index);
      }),
  );
  const circle = circleOf(blocked, ({ waitsFor }) => placeOf(waitsFor)?.rank);
  const [first] = circle;
  if (!first) return undefined;
  const stuckAt = new Map(blocked.map(({ rank, index }) => [rank, index]));
  const printAt = ({ rank, index }: ActionPlace): string => {
    const cell = orders[rank]?.[index];
    return cell ? printCell(cell) : '';
  };
  const waits = circle.map((stuck) => {
    const other = must(placeOf(stuck.waitsFor), 'awaited action');
    const head = { rank: other.rank, index: stuckAt.get(other.rank) ?? 0 };
    const where = other.index === head.index ? 'which is part of' : 'which comes after';
    const awaited = `${printAction(stuck.waitsFor)} of rank ${other.rank}, ${where} ${printAt(head)} there`;
    return `rank ${stuck.rank} waits at ${printAt(stuck)} for ${awaited}`;
  });
  const more = waits.length > MOST_SAID ? [`and so on, ${waits.length} ranks in a circle`] : [];
  return {
    rank: first.rank,
    index: first.index,
    cell: orders[first.rank]?.[first.index],
    kind: 'deadlock',
    message: `deadlock: ${[...waits.slice(0, MOST_SAID), ...more].join('; ')}`,
    missing: first.waitsFor,
    circle,
  };
}

/** Follows the waiting ranks until one repeats; returns the circle from its lowest rank. */
function circleOf(blocked: readonly Blocked[], nextOf: (stuck: Blocked) => number | undefined): readonly Blocked[] {
  const byRank = new Map(blocked.map((stuck) => [stuck.rank, stuck]));
  const seen = new Set<Blocked>();
  for (let stuck = blocked[0]; stuck && !seen.has(stuck); ) {
    seen.add(stuck);
    const next = nextOf(stuck);
    stuck = next === undefined ? undefined : byRank.get(next);
  }
  const way = [...seen];
  const last = way.at(-1);
  const again = last && byRank.get(nextOf(last) ?? -1);
  if (!again) return [];
  const circle = way.slice(way.indexOf(again));
  const lowest = circle.reduce((low, { rank }, i) => (rank < (circle[low]?.rank ?? rank) ? i : low), 0);
  return [...circle.slice(lowest), ...circle.slice(0, lowest)];
}
