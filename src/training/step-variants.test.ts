/**
 * Every step that a run can come to has its Program: the variants that are compiled against those that steps ask for.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchSchedule } from '../data/batch-schedule';
import { allVariants, type VariantRules, variantAt } from './step-variants';

const rules = (part: Partial<VariantRules>): VariantRules => ({
  accumulate: 1,
  policy: { passesBeforeRebuild: 1, reducesEveryPass: false },
  joins: false,
  phases: undefined,
  ...part,
});
const even = (rows: number) =>
  batchSchedule([{ rows, batchSize: 4, length: Math.ceil(rows / 4) }], { epochs: 1, hangs: false });
const names = (part: Partial<VariantRules>, steps: number, rows = 10) =>
  Array.from({ length: steps }, (_, step) => variantAt(step, even(rows), rules(part)).name);

test('names', () => {
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
  const at = (step: number, every: boolean) =>
    variantAt(step, schedule, rules({ accumulate: 3, policy: { passesBeforeRebuild: 1, reducesEveryPass: every } }));
  expect([0, 1, 2, 3].map((s) => [at(s, false).reduces, at(s, false).syncsBuffers])).toEqual([
    [false, true],
    [false, false],
    [true, false],
    [false, true],
  ]);
  expect([0, 1, 2, 3].every((s) => at(s, true).reduces && at(s, true).syncsBuffers)).toBe(true);
});

test('every step finds its variant among all', () => {
  const own = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 });
  fc.assert(
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
        const known = new Set(allVariants(schedule, own).map(({ variant }) => variant.name));
        for (let step = 0; step < 200; step++) expect(known).toContain(variantAt(step, schedule, own).name);
      },
    ),
    { numRuns: 60 },
  );
});
