/** The rows of each process in each step, if processes differ in the number and size of their batches. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { batchSchedule } from './batch-schedule';

const processes = (rows: readonly number[], batchSize: number) =>
  rows.map((n) => ({ rows: n, batchSize, length: Math.ceil(n / batchSize) }));

test('a short last batch on each rank, then one rank alone', () => {
  const schedule = batchSchedule(processes([11, 5], 4), { epochs: 1, hangs: false });
  expect([0, 1, 2, 3].map((step) => schedule.sizeAt(step))).toEqual(['full', '4,1', '3,0', 'full']);
  expect(schedule.sizes).toEqual({ full: [4, 4], last: undefined, '4,1': [4, 1], '3,0': [3, 0] });
  expect([0, 1, 2, 3, 4].map((step) => schedule.batchesBefore(1, step))).toEqual([0, 1, 2, 2, 3]);
  expect(schedule.placeOf(1, 2)).toBeUndefined();
  expect(schedule.placeOf(1, 4)).toEqual({ epoch: 1, batch: 1 });
});

test('one join around two epochs: the ranks go from epoch to epoch by themselves', () => {
  const schedule = batchSchedule(processes([12, 4], 4), { epochs: 2, hangs: false });
  expect(Array.from({ length: 7 }, (_, step) => schedule.placeOf(1, step))).toEqual([
    { epoch: 0, batch: 0 },
    { epoch: 1, batch: 0 },
    undefined,
    undefined,
    undefined,
    undefined,
    { epoch: 2, batch: 0 },
  ]);
  expect(schedule).toMatchObject({ totals: [6, 2], period: 6, batchesPerEpoch: 3 });
});

test('3 rows against 1 in the last step', () => {
  const schedule = batchSchedule(processes([7, 5], 4), { epochs: 1, hangs: false });
  expect(schedule.sizes).toEqual({ full: [4, 4], last: [3, 1] });
});

test('every step of a period is in a range of steps with its size, and every row is used once per epoch', () => {
  const rows = fc
    .array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 })
    .filter((all) => Math.max(...all) > 0);
  void fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3 }), (all, batchSize, epochs) => {
      const schedule = batchSchedule(processes(all, batchSize), { epochs, hangs: false });
      const had = all.map(() => 0);
      let next = 0;
      for (const { from, to } of schedule.stretches) {
        expect(from).toBe(next);
        for (let step = from; step < to; step++) {
          expect(schedule.sizeAt(step)).toBe(schedule.sizeAt(from));
          schedule.sizes[schedule.sizeAt(step)]?.forEach((n, rank) => {
            had[rank] = at(had, rank) + n;
          });
        }
        next = to;
      }
      expect(next).toBe(schedule.period);
      expect(had).toEqual(all.map((n) => n * epochs));
    }),
    { numRuns: 60 },
  );
});
