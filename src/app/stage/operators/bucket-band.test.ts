import { expect, test } from 'vitest';
import { bottom, right } from '../../draw/geometry';
import { bandOf } from './bucket-band';

test.each([
  [8, 8],
  [60, 30],
  [140, 20],
  [20, 140],
  [400, 90],
] as const)('a band of %i x %i holds its stretches, few or many, short or long', (width, height) => {
  const area = { x: 5, y: 7, width, height };
  for (const stands of [true, false])
    for (const count of [1, 2, 3, 8, 40])
      for (const longest of [1, 2, 3, 4, 5, 17, 1024]) {
        const lengths = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? longest : 1));
        const { places, borders } = bandOf(area, lengths, stands);
        expect(borders).toHaveLength(count - 1);
        expect(places.every(({ shown }, i) => shown >= 1 && shown <= (lengths[i] ?? 0))).toBe(true);
        if (3 * (count - 1) + count > (stands ? height : width)) continue;
        for (const { rect } of places) {
          expect(right(rect)).toBeLessThanOrEqual(right(area) + 1e-6);
          expect(bottom(rect)).toBeLessThanOrEqual(bottom(area) + 1e-6);
        }
      }
});
