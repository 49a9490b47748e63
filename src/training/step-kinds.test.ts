/**
 * Every step that a run can come to has its Program: the kinds that are compiled against those that steps ask for.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { batchSchedule } from '../data/batch-schedule';
import { kindLabel, programKey } from '../protocol/step-kind';
import { allKinds, type KindRules, kindAt } from './step-kinds';

const rules = (part: Partial<KindRules>): KindRules => ({
  accumulate: 1,
  policy: { passesBeforeRebuild: 1, reducesEveryPass: false },
  joins: false,
  phases: undefined,
  ...part,
});
const even = (rows: number) =>
  batchSchedule([{ rows, batchSize: 4, length: Math.ceil(rows / 4) }], { epochs: 1, hangs: false });
const names = (part: Partial<KindRules>, steps: number, rows = 10) =>
  Array.from({ length: steps }, (_, step) => `${kindLabel(kindAt(step, even(rows), rules(part)))}`);

test('labels', () => {
  expect(names({}, 4)).toEqual(['first', 'full', 'last', 'full']);
  expect(names({ policy: { passesBeforeRebuild: 2, reducesEveryPass: false } }, 4)).toEqual([
    'first',
    'first',
    'last',
    'full',
  ]);
  expect(names({ policy: undefined }, 3)).toEqual(['full', 'full', 'last']);
  expect(names({ accumulate: 2 }, 5)).toEqual(['full-set', 'first', 'last-set', 'full', 'full-set']);
  expect(names({ accumulate: 2, policy: { passesBeforeRebuild: 1, reducesEveryPass: true } }, 3)).toEqual([
    'full-set-first',
    'full',
    'last-set',
  ]);
  expect(names({ joins: true }, 6)).toEqual(['first', 'full', 'last-end', 'full', 'full', 'last-end']);
});

test('what a pass does: no_sync is decided by the forward pass', () => {
  const schedule = even(16);
  const of = (step: number, every: boolean) =>
    at(
      kindAt(step, schedule, rules({ accumulate: 3, policy: { passesBeforeRebuild: 1, reducesEveryPass: every } }))
        .microBatches,
      0,
    );
  expect([0, 1, 2, 3].map((s) => [of(s, false).reduces, of(s, false).syncsBuffers])).toEqual([
    [false, true],
    [false, false],
    [true, false],
    [false, true],
  ]);
  expect([0, 1, 2, 3].every((s) => of(s, true).reduces && of(s, true).syncsBuffers)).toBe(true);
});

test('every step finds its Program among all', () => {
  const own = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 });
  void fc.assert(
    fc.property(
      own,
      fc.record({
        accumulate: fc.integer({ min: 1, max: 4 }),
        every: fc.boolean(),
        initial: fc.integer({ min: 0, max: 2 }),
        joins: fc.boolean(),
      }),
      fc.integer({ min: 1, max: 2 }),
      (rows, { accumulate, every, initial, joins }, epochs) => {
        const schedule = batchSchedule(
          rows.map((n) => ({ rows: n, batchSize: 4, length: Math.ceil(n / 4) })),
          { epochs, hangs: false },
        );
        const own = rules({ accumulate, policy: { passesBeforeRebuild: initial, reducesEveryPass: every }, joins });
        const known = new Set(allKinds(schedule, own).map(programKey));
        for (let step = 0; step < 200; step++) expect(known).toContain(programKey(kindAt(step, schedule, own)));
      },
    ),
    { numRuns: 60 },
  );
});
