/** Halves held against their definition: the nearest value of the format, ties to even. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { type HalfFormat, halvesOf } from './half-bits';

const finite = (format: HalfFormat) => (format === 'f16' ? 0x7c00 : 0x7f80);

describe.each(['f16', 'bf16'] as const)('%s', (format) => {
  const { toHalf, toFloat, sum, quotient } = halvesOf(format);
  /** Every positive value in order of size; bfloat16 without denormals. */
  const first = format === 'f16' ? 0 : 0x80;
  const values = Array.from({ length: finite(format) - first }, (_, i) => toFloat(first + i));

  test('every value is decoded to itself', () => {
    const changed: number[] = [];
    for (let half = first; half < finite(format); half++) {
      const [back, negated] = [toHalf(toFloat(half)), toHalf(-toFloat(half))];
      if (back !== half || negated !== (half | 0x8000)) changed.push(half);
    }
    expect(changed).toEqual([]);
    expect(toFloat(finite(format))).toBe(Number.POSITIVE_INFINITY);
    expect(toFloat(toHalf(Number.NaN))).toBeNaN();
  });

  /** By search among all values, in double precision. */
  const nearest = (x: number): number => {
    let [low, high] = [0, values.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at(values, middle) <= x) low = middle;
      else high = middle;
    }
    const [below, above] = [x - at(values, low), at(values, high) - x];
    const up = above < below || (above === below && ((low + first) & 1) === 1);
    return first + (up ? high : low);
  };
  const half = fc.integer({ min: first, max: 0x7bff });

  test('floats, sums and quotients are rounded to the nearest', () => {
    const largest = at(values, values.length - 1);
    void fc.assert(
      fc.property(
        half,
        half,
        fc.integer({ min: 1, max: 16 }),
        fc.float({ min: 2 ** -26, max: 65_000, noNaN: true }),
        (a, b, n, x) => {
          const lowest = format === 'f16' ? 0 : 2 ** -126;
          expect(toHalf(x)).toBe(nearest(Math.max(lowest, x)));
          const [va, vb] = [toFloat(a), toFloat(b)];
          if (va + vb < largest) expect(sum(a, b)).toBe(nearest(va + vb));
          if (va / n >= lowest) expect(quotient(a, n)).toBe(nearest(va / n));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('values that are too large become infinite', () => {
    const half = finite(format) - 1;
    expect(sum(half, half)).toBe(finite(format));
    expect(toHalf(format === 'f16' ? 65_520 : 3.4e38)).toBe(finite(format));
    if (format === 'f16') expect(toFloat(toHalf(65_519.99))).toBe(65_504);
  });
});
