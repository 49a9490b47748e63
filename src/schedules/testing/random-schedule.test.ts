/** What the engine's property tests draw is legal, and is not always the same. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionsOf } from '../actions-of';
import { isPair } from '../cell';
import { complaintsOf } from '../check-schedule';
import { timingOf } from '../timing';
import { randomSchedules } from './random-schedule';

test('random schedules can run', () =>
  fc.assert(
    fc.property(randomSchedules(), (schedule) => {
      expect(complaintsOf(schedule)).toEqual([]);
      expect(timingOf(schedule, { pairs: 'together' }).makespan).toBeGreaterThan(0);
    }),
  ));

test('among them are pairs, split backwards, every placement and several ranks', () => {
  const drawn = fc.sample(randomSchedules(), 200);
  const some = (has: (schedule: (typeof drawn)[number]) => boolean): number => drawn.filter(has).length;
  expect(some(({ orders }) => orders.some((order) => order.some(isPair)))).toBeGreaterThan(10);
  expect(
    some(({ orders }) => orders.some((order) => actionsOf(order).some(({ kind }) => kind === 'W'))),
  ).toBeGreaterThan(50);
  expect(some(({ ranks }) => ranks > 1)).toBeGreaterThan(100);
  expect(some(({ rankOfStage, ranks }) => rankOfStage.some((rank, stage) => rank !== stage % ranks))).toBeGreaterThan(
    50,
  );
  expect(new Set(drawn.map(({ orders }) => JSON.stringify(orders))).size).toBeGreaterThan(150);
  // No pairs where none are wanted.
  const plain = fc.sample(randomSchedules({ pairs: false }), 100);
  expect(plain.some(({ orders }) => orders.some((order) => order.some(isPair)))).toBe(false);
});
