import { describe, expect, test } from 'vitest';
import { channelsOf, filterLayout, kernelAt, kernelRect } from './filter-layout';

const SHAPES = [
  [8, 1, 3, 3],
  [16, 3, 5, 5],
  [64, 32, 3, 3],
  [5, 500, 1, 1],
  [1, 1, 7, 11],
  [6, 9, 64, 64],
];

describe.each(SHAPES.flatMap((shape) => [true, false].map((first) => [shape, first] as const)))(
  '%j, first %s',
  (shape, first) => {
    const layout = filterLayout(312, shape, first);
    const cells = Array.from({ length: layout.rows * layout.columns }, (_, i) => ({
      row: Math.floor(i / layout.columns),
      column: i % layout.columns,
    }));

    test('each shown kernel is once in the picture, and found under its middle', () => {
      const seen = new Set<string>();
      for (const cell of cells) {
        const channels = channelsOf(layout, cell);
        if (!channels) continue;
        seen.add(`${channels.out},${channels.in}`);
        const { x, y, width, height } = kernelRect(layout, cell);
        expect(x + width).toBeLessThanOrEqual(312);
        expect(y + height).toBeLessThanOrEqual(layout.height + 1e-6);
        expect(kernelAt(layout, { x: x + width / 2, y: y + height / 2 })).toEqual(cell);
      }
      expect(seen.size).toBe(layout.outs * layout.ins);
    });
  },
);

test('tiles are spread evenly over lines', () => {
  expect(filterLayout(312, [8, 1, 3, 3], true)).toMatchObject({ rows: 2, columns: 4 });
  expect(filterLayout(312, [4, 1, 5, 5], true)).toMatchObject({ rows: 1, columns: 4 });
});

test('the first layer is larger', () => {
  const width = (first: boolean) => filterLayout(312, [8, 1, 3, 3], first).kernel.width;
  expect(width(true)).toBeGreaterThan(1.5 * width(false));
});
