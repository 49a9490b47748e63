/** The tables of costs: a fitted exponent, and every mode measured along an axis. */
import { expect, test } from 'vitest';
import { COST_AXES, costTables, exponent, measureCosts } from './planning-costs';

test('the exponent of a power is the power', () => {
  for (const power of [0, 1, 1.5, 2])
    expect(exponent([2, 4, 8, 64].map((x) => [x, 3 * x ** power]))).toBeCloseTo(power, 10);
});

test('each mode has a row, with more instructions at more layers', () => {
  expect(COST_AXES).toEqual(['layers', 'width', 'ranks', 'micro-batches']);
  const all = measureCosts(['layers'], { rounds: 1, warmUp: 0, mostMsOfSmall: 0 });
  expect(all).toHaveLength(8);
  for (const { points, byInstructions } of all) {
    expect(points.map(({ size }) => size)).toEqual([4, 8, 16, 32]);
    const instructions = points.map((point) => point.instructions);
    expect(instructions).toEqual(instructions.toSorted((a, b) => a - b));
    expect(byInstructions).toBeGreaterThan(0);
  }
  const lines = costTables(all).split('\n');
  expect(lines).toHaveLength(2 + 8);
  expect(new Set(lines.map((line) => line.split('|').length))).toEqual(new Set([9]));
});
