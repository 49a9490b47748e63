/** Accuracy counted by hand for each loss. */
import { expect, test } from 'vitest';
import { accuracy } from './accuracy';

const f32 = (...values: number[]) => Float32Array.from(values);

test('CrossEntropyLoss: the largest output; ignored rows do not count', () => {
  const outputs = f32(1, 2, 3, 3, 2, 1, -1, -3, -2, 0, 9, 0);
  expect(accuracy('CrossEntropyLoss', outputs, 3, Int32Array.of(2, 0, 1, -100))).toBeCloseTo(2 / 3);
});

test('BCEWithLogitsLoss: the side of one half, output by output', () => {
  expect(accuracy('BCEWithLogitsLoss', f32(2, -2, 2, -2), 1, f32(1, 0, 0, 1))).toBe(0.5);
  // Targets between 0 and 1 are probabilities: 0.2 is class 0.
  expect(accuracy('BCEWithLogitsLoss', f32(-1, 1), 1, f32(0.2, 0.8))).toBe(1);
  // Two labels a row: each is counted.
  expect(accuracy('BCEWithLogitsLoss', f32(1, -1, 1, 1), 2, f32(1, 0, 0, 1))).toBe(0.75);
});

test('MSELoss with signs for classes', () => {
  expect(accuracy('MSELoss', f32(0.3, -0.3, 0.1), 1, f32(1, -1, -1))).toBeCloseTo(2 / 3);
});

test('NaN is never right', () => {
  const nan = Number.NaN;
  expect(accuracy('BCEWithLogitsLoss', f32(nan, nan), 1, f32(0, 1))).toBe(0);
  expect(accuracy('CrossEntropyLoss', f32(nan, nan), 2, Int32Array.of(0))).toBe(0);
});
