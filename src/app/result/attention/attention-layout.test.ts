import { expect, test } from 'vitest';
import { attentionCellAt, attentionLayout } from './attention-layout';
import { headMaps, shownToken } from './head-map';

test.each([1, 12, 32, 64, 256])('%i tokens fit, and names do not touch', (tokens) => {
  const layout = attentionLayout(312, tokens, tokens, 1);
  expect(layout.left + layout.cell * tokens).toBeLessThanOrEqual(312 + 1e-6);
  expect(layout.namedEvery * layout.cell).toBeGreaterThanOrEqual(8);
  const point = { x: layout.left + layout.cell * (tokens - 0.5), y: layout.top + layout.cell / 2 };
  expect(attentionCellAt(layout, tokens, tokens, point)).toEqual({ row: 0, column: tokens - 1 });
  expect(attentionCellAt(layout, tokens, tokens, { x: 2, y: 2 })).toBeUndefined();
});

test('each head of each layer is a map of its own', () => {
  const weights = Float32Array.from({ length: 2 * 3 * 3 }, (_, i) => i);
  const heads = headMaps([
    { module: 'a', heads: 2, weights },
    { module: 'b', heads: 1, weights: Float32Array.of(7) },
  ]);
  expect(heads.map(({ module, head, rows }) => [module, head, rows])).toEqual([
    ['a', 0, 3],
    ['a', 1, 3],
    ['b', 0, 1],
  ]);
  expect(heads[1]?.share(2, 1)).toBe(9 + 7);
});

test('invisible characters of a token are shown', () => {
  expect(shownToken(' \n')).toBe('␣↵');
});
