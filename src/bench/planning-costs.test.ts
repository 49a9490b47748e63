/** The tables of costs: a fitted exponent, and every mode measured along an axis. */
import { expect, test } from 'vitest';
import { COST_AXES, costTables, exponent, fitted, measureCosts } from './planning-costs';

test('the exponent of a power is the power', () => {
  for (const power of [0, 1, 1.5, 2])
    expect(exponent([2, 4, 8, 64].map((x) => [x, 3 * x ** power]))).toBeCloseTo(power, 10);
});

test('each mode has a row, with more instructions at more layers', () => {
  expect(COST_AXES).toEqual(['layers', 'width', 'ranks', 'micro-batches']);
  const all = measureCosts(['layers'], { rounds: 1, warmUp: 0, leastMs: 0 });
  expect(all).toHaveLength(8);
  for (const { points, byInstructions } of all) {
    // Of one round, so a busy machine can give any exponent: the exponents of known times are tested below.
    expect(points.map(({ size }) => size)).toEqual([4, 8, 16, 32]);
    const instructions = points.map((point) => point.instructions);
    expect(instructions).toEqual(instructions.toSorted((a, b) => a - b));
    expect(byInstructions).toEqual(expect.any(Number));
    for (const { times, totalMs } of points)
      expect(totalMs).toBe(times.compileMs + times.verifyMs + times.planMs + times.simulateMs);
  }
  const lines = costTables(all).split('\n');
  expect(lines).toHaveLength(2 + 8);
  expect(new Set(lines.map((line) => line.split('|').length))).toEqual(new Set([9]));
});

test('the exponents are those of the shortest round of each size, part by part', () => {
  const sizes = [4, 8, 16, 32];
  const round = (size: number, slower: number) => ({
    instructions: 3 * size,
    compileMs: slower * size,
    verifyMs: slower * size ** 2,
    planMs: slower,
    simulateMs: slower * Math.sqrt(size),
  });
  const series = { axis: 'layers', title: 'a mode', sizes };
  const known = fitted(
    series,
    sizes.map((size) => [round(size, 7), round(size, 2), round(size, 90 / size)]),
  );
  expect(known.ofParts.compileMs).toBeCloseTo(1, 10);
  expect(known.ofParts.verifyMs).toBeCloseTo(2, 10);
  expect(known.ofParts.planMs).toBeCloseTo(0, 10);
  expect(known.ofParts.simulateMs).toBeCloseTo(0.5, 10);
  expect(known.bySize).toBeCloseTo(known.byInstructions ?? 0, 10);
  // Where the number of instructions is constant, there is nothing to divide by.
  const constant = fitted(
    series,
    sizes.map((size) => [{ ...round(size, 2), instructions: 12 }]),
  );
  expect(constant.byInstructions).toBeUndefined();
  expect(constant.ofParts.verifyMs).toBeCloseTo(2, 10);
});
