/** Whatever is taken out of a schedule, put in twice, moved to another rank or before what it needs is found. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { actionsOf } from './actions-of';
import { isPair, keyOf, type ScheduleCell } from './cell';
import { checkSchedule, complaintsOf } from './check-schedule';
import { placesOf } from './dependencies';
import { execute } from './execution';
import { makeSchedule, type Schedule } from './schedule';
import { schedulesOfAnySize } from './testing/any-schedule';
import { randomSchedules } from './testing/random-schedule';

const named = schedulesOfAnySize.map(makeSchedule);
const own = randomSchedules();
const legal = fc.oneof(named, own);

/** A schedule without pairs, and a place in it. */
const places = legal
  .map((schedule) => ({ ...schedule, orders: schedule.orders.map(actionsOf) }))
  .chain((schedule) =>
    fc
      .record({
        rank: fc.nat(schedule.ranks - 1),
        place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      })
      .map(({ rank, place }) => ({ schedule, rank, index: Math.floor(place * at(schedule.orders, rank).length) })),
  );

function changed(
  schedule: Schedule,
  rank: number,
  change: (order: readonly ScheduleCell[]) => readonly ScheduleCell[],
): Schedule {
  return { ...schedule, orders: schedule.orders.map((order, other) => (other === rank ? change(order) : order)) };
}

const kinds = (schedule: Schedule): readonly string[] => complaintsOf(schedule).map(({ kind }) => kind);

test('every made schedule is legal', () => fc.assert(fc.property(legal, (schedule) => checkSchedule(schedule))));

test('a missing action is found', () =>
  fc.assert(
    fc.property(places, ({ schedule, rank, index }) => {
      const dropped = at(at(schedule.orders, rank), index);
      const complaints = complaintsOf(changed(schedule, rank, (order) => order.toSpliced(index, 1)));
      expect(complaints).toHaveLength(1);
      expect(complaints[0]).toMatchObject({ rank, kind: 'missing', missing: dropped });
    }),
  ));

test('an action that is there twice is found, on its own rank or another one', () =>
  fc.assert(
    fc.property(places, fc.nat(), fc.nat(), ({ schedule, rank, index }, otherRank, otherPlace) => {
      const copied = at(at(schedule.orders, rank), index);
      const target = otherRank % schedule.ranks;
      const twice = changed(schedule, target, (order) => order.toSpliced(otherPlace % (order.length + 1), 0, copied));
      expect(kinds(twice)).toContain('twice');
      expect(kinds(twice).includes('rank')).toBe(target !== rank);
    }),
  ));

test('an action after one that needs it is found', () =>
  fc.assert(
    fc.property(places, ({ schedule, rank, index }) => {
      const order = at(schedule.orders, rank);
      const { dependenciesOf } = placesOf(schedule);
      const needed = at(order, index);
      const later = order.findIndex((cell) => dependenciesOf(cell).some((other) => keyOf(other) === keyOf(needed)));
      fc.pre(later >= 0);
      const swapped = changed(schedule, rank, (cells) =>
        cells.with(index, at(cells, later)).with(later, at(cells, index)),
      );
      expect(complaintsOf(swapped)[0]).toMatchObject({ rank, index, kind: 'order', missing: needed });
    }),
  ));

test('an order of any kind is refused exactly if it cannot run to the end', () =>
  fc.assert(
    fc.property(places, fc.nat(), ({ schedule, rank, index }, to) => {
      const moved = changed(schedule, rank, (order) => {
        const rest = order.toSpliced(index, 1);
        return rest.toSpliced(to % order.length, 0, at(order, index));
      });
      const { dependenciesOf } = placesOf(moved);
      const { blocked } = execute(
        moved.orders.map((order) => actionsOf(order).map((part) => [part])),
        dependenciesOf,
      );
      expect(complaintsOf(moved).length > 0).toBe(blocked.length > 0);
    }),
  ));

test('the work grows as the number of actions does', () => {
  const looks = (microBatches: number): number => {
    const schedule = makeSchedule({ name: 'Interleaved1F1B', ranks: 16, stagesPerRank: 2, microBatches });
    const { dependenciesOf } = placesOf(schedule);
    let asked = 0;
    const { done } = execute(
      schedule.orders.map((order) => order.map((cell) => (isPair(cell) ? cell.pair : [cell]))),
      (part) => {
        asked++;
        return dependenciesOf(part);
      },
    );
    expect(done).toHaveLength(16 * 2 * 2 * microBatches);
    return asked / done.length;
  };
  // An action is looked at once, and once more for each of its two inputs that it waited for.
  expect(looks(64)).toBeLessThan(3);
  expect(looks(256)).toBeLessThan(3);
});
