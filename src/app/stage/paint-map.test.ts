/** A number is never wider than its cell: in a narrow cell, a single value has fewer digits, or none. */
import { expect, test } from 'vitest';
import { writingInk } from '../testing/writing-ink';
import { paintNumbers } from './paint-map';

/** The text in the only cell of a map of this width, in a font as wide as DejaVu Sans Mono. */
function written(width: number, value: number, unit: number): readonly string[] {
  const { ink, written: texts } = writingInk(0.6);
  const cells = { values: Float32Array.of(value), offset: 0, stride: 1, rows: 1, columns: 1, end: 1 };
  paintNumbers(ink, cells, { rect: { x: 0, y: 0, width, height: 20 }, unit });
  return texts;
}

test('the logit of a rank with one row fits into its cell', () => {
  expect(written(60, 0.1768, Number.NaN)).toEqual(['0.1768']);
  expect(written(29, 0.1768, Number.NaN)).toEqual(['0.18']);
  expect(written(12, 0.1768, Number.NaN)).toEqual([]);
});

test('numbers in units of the picture are as they were', () => {
  expect(written(29, 0.177, -3)).toEqual(['177']);
});
