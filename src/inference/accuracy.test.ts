/** Accuracy counted by hand for each loss. */

import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type LossConfig, lossSchema } from '../protocol/config';
import { accuracy } from './accuracy';

const f32 = (...values: number[]) => Float32Array.from(values);
const CROSS_ENTROPY: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
const BCE: LossConfig = { type: 'BCEWithLogitsLoss', reduction: 'mean' };

test('CrossEntropyLoss: the largest output; ignored rows do not count', () => {
  const outputs = f32(1, 2, 3, 3, 2, 1, -1, -3, -2, 0, 9, 0);
  expect(accuracy(CROSS_ENTROPY, outputs, Int32Array.of(2, 0, 1, -100))).toBeCloseTo(2 / 3);
});

test('a class of its own choice to ignore: -100 then is none', () => {
  const outputs = f32(1, 2, 3, 3, 2, 1, -1, -3, -2);
  const loss: LossConfig = { ...CROSS_ENTROPY, ignoreIndex: 1 };
  expect(accuracy(loss, outputs, Int32Array.of(2, 1, 0))).toBe(1);
  expect(accuracy(loss, outputs, Int32Array.of(1, 1, 1))).toBe(0);
  const nll: LossConfig = { type: 'NLLLoss', reduction: 'mean', ignoreIndex: 0 };
  expect(accuracy(nll, outputs, Int32Array.of(2, 0, 1))).toBe(0.5);
});

test('tokens: every position with a target counts', () => {
  // Two rows of three positions over two tokens.
  const outputs = f32(0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0);
  expect(accuracy(CROSS_ENTROPY, outputs, Int32Array.of(-100, 0, 0, -100, -100, 0))).toBeCloseTo(2 / 3);
});

test('BCEWithLogitsLoss: the side of one half, output by output', () => {
  expect(accuracy(BCE, f32(2, -2, 2, -2), f32(1, 0, 0, 1))).toBe(0.5);
  // Targets between 0 and 1 are probabilities: 0.2 is class 0.
  expect(accuracy(BCE, f32(-1, 1), f32(0.2, 0.8))).toBe(1);
  // With two labels per row, each counts.
  expect(accuracy(BCE, f32(1, -1, 1, 1), f32(1, 0, 0, 1))).toBe(0.75);
});

test.each(['MSELoss', 'L1Loss', 'SmoothL1Loss', 'HuberLoss'] as const)('%s with signs for classes', (type) => {
  const loss = v.parse(lossSchema, { type });
  expect(accuracy(loss, f32(0.3, -0.3, 0.1), f32(1, -1, -1))).toBeCloseTo(2 / 3);
});

test('NaN is never a right answer', () => {
  const nan = Number.NaN;
  expect(accuracy(BCE, f32(nan, nan), f32(0, 1))).toBe(0);
  expect(accuracy(CROSS_ENTROPY, f32(nan, nan), Int32Array.of(0))).toBe(0);
  expect(accuracy(CROSS_ENTROPY, f32(1, nan), Int32Array.of(0))).toBe(0);
});
