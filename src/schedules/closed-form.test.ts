/** The text of a formula, read as arithmetic, gives the value. That the value is right is in timing.test. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { closedFormsOf } from './closed-form';
import { schedulesOfAnySize } from './testing/any-schedule';
import { USUAL_COSTS } from './timing';

/** Reads 'min(2·P, M + r), r = 1' with the values of the names. */
function evaluate(formula: string, values: Readonly<Record<string, number>>): number {
  const [text = '', letters] = formula.split(', m = ');
  const read = (part: string, names: Readonly<Record<string, number>>): number => {
    const all = { ...names, min: Math.min, max: Math.max, floor: Math.floor };
    return new Function(...Object.keys(all), `return ${part.replaceAll('·', '*')};`)(...Object.values(all)) as number;
  };
  return read(text, letters === undefined ? values : { ...values, m: read(letters, values) });
}

const cost = fc.integer({ min: 1, max: 4 });
const costs = fc.oneof(fc.constant(USUAL_COSTS), fc.record({ F: cost, B: cost, I: cost, W: cost }));
const pairs = fc.constantFrom('together' as const, 'oneAfterTheOther' as const);

test('texts give the values', () =>
  fc.assert(
    fc.property(schedulesOfAnySize, costs, pairs, (size, costs, pairs) => {
      const { makespan, bubble, peakLive } = closedFormsOf(size, { costs, pairs });
      const names = { P: size.ranks, L: size.stagesPerRank, M: size.microBatches, ...costs };
      for (const form of [makespan, bubble].filter((form) => form !== undefined)) {
        const given = { ...names, makespan: makespan?.value ?? 0 };
        expect([form.formula, evaluate(form.formula, given)]).toEqual([form.formula, expect.closeTo(form.value, 12)]);
      }
      for (const [r, value] of peakLive.values.entries())
        expect([peakLive.formula, evaluate(peakLive.formula, { ...names, r })]).toEqual([peakLive.formula, value]);
    }),
    { numRuns: 300 },
  ));

test('bubbles as in textbooks', () => {
  const formula = (name: Parameters<typeof closedFormsOf>[0]['name'], stagesPerRank: number) =>
    closedFormsOf({ name, ranks: 4, stagesPerRank, microBatches: 8 }).bubble?.formula;
  expect(formula('GPipe', 1)).toBe('(P - 1) / (M + P - 1)');
  expect(formula('1F1B', 1)).toBe('(P - 1) / (M + P - 1)');
  expect(formula('Interleaved1F1B', 2)).toBe('(P - 1) / (L·M + P - 1)');
  expect(formula('InterleavedZeroBubble', 2)).toBe('(P - 1) / (3·L·M + P - 1)');
  expect(formula('ZBVZeroBubble', 2)).toBe('(P - 1) / (6·M + P - 1)');
});
