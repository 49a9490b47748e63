import { describe, expect, it } from 'vitest';
import { CAPTURE_LIMIT } from '../../protocol/trace';
import { bottom, overlaps, type Rect, right } from '../draw/geometry';
import type { LayerSpec } from './layer-layout';
import { activationWindow, matrixWindow } from './matrix-window';
import { layoutRoom, type RoomSpec, rectsOf, roomHeight } from './room-layout';

const layer = (out: number, into: number): LayerSpec => ({ weight: [out, into], bias: true, gradients: true });
const mlp = (...widths: readonly number[]): readonly LayerSpec[] =>
  widths.slice(1).map((w, i) => layer(w, widths[i] ?? 1));
const outputs = (rows: number, ...widths: readonly number[]) => widths.map((w) => [rows, w]);

const SPECS: Readonly<Record<string, RoomSpec>> = {
  toy: { layers: mlp(2, 8, 8, 1), activations: outputs(8, 2, 8, 8, 8, 8, 1), chunks: 4 },
  'no bucket': { layers: mlp(2, 8, 8, 8, 1), activations: outputs(16, 2, 8, 8, 8, 1), chunks: 0 },
  'eight chunks': { layers: mlp(2, 8, 8, 1), activations: [], chunks: 8 },
  mnist: { layers: mlp(784, 256, 128, 10), activations: outputs(32, 784, 256, 256, 128, 128, 10), chunks: 4 },
  deep: { layers: mlp(10, ...Array.from({ length: 15 }, () => 32), 1), activations: [], chunks: 2 },
  cnn: {
    layers: [[8, 1, 3, 3], [8], [16, 8, 3, 3], [16], [10, 784]].map((weight) => ({
      weight,
      bias: true,
      gradients: true,
    })),
    activations: [
      [16, 1, 28, 28],
      [16, 8, 28, 28],
      [16, 8, 14, 14],
      [16, 16, 7, 7],
      [16, 10],
    ],
    chunks: 4,
  },
  gpt: {
    layers: Array.from({ length: 4 }, () => [
      [192, 64],
      [64, 64],
      [256, 64],
      [64, 256],
    ]).flatMap((block) =>
      block.map((weight, i) => ({ weight, bias: true, gradients: true, together: i === 0 ? 4 : 1 })),
    ),
    activations: [
      [4, 32],
      [4, 32, 64],
      [4, 32, 38],
    ],
    chunks: 4,
  },
  'one layer': { layers: mlp(8, 8), activations: outputs(64, 8, 8), chunks: 0 },
};

const SIZES: readonly { readonly width: number; readonly compact: boolean }[] = [
  { width: 160, compact: true },
  { width: 176, compact: false },
  { width: 262, compact: false },
  { width: 340, compact: false },
  { width: 680, compact: false },
];

const inside = (inner: Rect, outer: Rect): boolean =>
  inner.x >= outer.x - 0.5 &&
  inner.y >= outer.y - 0.5 &&
  right(inner) <= right(outer) + 0.5 &&
  bottom(inner) <= bottom(outer) + 0.5;

describe('layoutRoom', () => {
  it.each(Object.keys(SPECS))('%s: everything lies inside the room and nothing on something else', (name) => {
    const spec = SPECS[name];
    if (!spec) return;
    for (const { width, compact } of SIZES) {
      for (const more of [0, 60, 240]) {
        const height = roomHeight(spec, width, compact, 4) + more;
        const room = { x: 30, y: 50, width, height };
        const layout = layoutRoom(room, spec, compact);
        for (let page = 0; page < layout.pages; page++) {
          const rects = rectsOf(layout, page);
          const where = `${name} ${width}x${height}, page ${page}`;
          rects.forEach((rect, i) => {
            expect(inside(rect, room), `${where}: ${JSON.stringify(rect)}`).toBe(true);
            for (const other of rects.slice(i + 1)) {
              expect(overlaps(rect, other), `${where}: ${JSON.stringify([rect, other])}`).toBe(false);
            }
          });
        }
      }
    }
  });

  it('has every layer, and a tile for every chunk', () => {
    for (const spec of Object.values(SPECS)) {
      const layout = layoutRoom({ x: 0, y: 0, width: 340, height: 500 }, spec, false);
      expect(layout.layers).toHaveLength(spec.layers.length);
      expect(layout.bucket?.tiles.length ?? 0).toBe(spec.chunks);
    }
  });
});

describe('matrixWindow', () => {
  it('shows a small matrix whole and says nothing', () => {
    expect(matrixWindow([8, 2], 16)).toEqual({ rows: 8, columns: 2, stride: 2, unit: 1, label: '' });
    expect(matrixWindow([8], 16)).toEqual({ rows: 8, columns: 1, stride: 1, unit: 1, label: '' });
  });

  it('crops a larger one to its first rows and columns', () => {
    expect(matrixWindow([32, 48], 16)).toMatchObject({
      rows: 16,
      columns: 16,
      stride: 48,
      label: 'first 16×16 of 32×48',
    });
  });

  it('shows filters as tiles and says how many of them', () => {
    const first = matrixWindow([8, 1, 3, 3], 12);
    expect(first).toMatchObject({ tiles: { rows: 3, columns: 3, count: 8 }, label: '' });
    const second = matrixWindow([16, 8, 3, 3], 12);
    expect(second.label).toBe('first 16 of 128 filters');
    expect([second.rows, second.columns]).toEqual([12, 12]);
  });

  it('shows of a batch of images or of tokens the first sample, as far as it was captured', () => {
    expect(activationWindow([16, 8, 28, 28], 16)).toMatchObject({
      rows: 28,
      columns: 28,
      label: 'first 1 of 8 channels, sample 1 of 16',
    });
    expect(activationWindow([16, 16, 7, 7], 16)).toMatchObject({
      rows: 28,
      columns: 28,
      label: 'all 16 channels, sample 1 of 16',
    });
    expect(activationWindow([4, 32, 64], 16)).toMatchObject({ rows: 16, columns: 16, stride: 64 });
    for (const shape of [
      [4, 32, 64],
      [2, 7, 1000],
      [1, 1024, 3],
      [3, 5, 511],
    ]) {
      const { rows, columns, stride } = activationWindow(shape, 16);
      expect((rows - 1) * stride + columns).toBeLessThanOrEqual(CAPTURE_LIMIT);
    }
    for (const shape of [
      [2, 3, 64, 64],
      [2, 1, 8, 8],
      [1, 5, 31, 33],
    ]) {
      const { tiles } = activationWindow(shape, 16);
      expect((tiles?.count ?? 0) * (tiles?.rows ?? 0) * (tiles?.columns ?? 0)).toBeLessThanOrEqual(CAPTURE_LIMIT);
    }
  });

  it('never asks for an element that was not captured', () => {
    for (const shape of [[128, 784], [10, 1000], [1, 5000], [64, 64], [2000, 1], [4096]]) {
      for (const crop of [4, 8, 16]) {
        const { rows, columns, stride } = matrixWindow(shape, crop);
        expect((rows - 1) * stride + columns).toBeLessThanOrEqual(CAPTURE_LIMIT);
      }
    }
  });
});

it('shows the tiles beside the layers where a room is as low as it may be, and nothing overlaps', () => {
  const spec: RoomSpec = { layers: mlp(2, 8, 8, 8, 1), activations: outputs(16, 2), chunks: 4 };
  const room = { x: 0, y: 0, width: 360, height: roomHeight(spec, 360, false, 3) };
  const rects = rectsOf(layoutRoom(room, spec, false));
  const pairs = rects.flatMap((a, i) => rects.slice(i + 1).map((b) => [a, b] as const));
  expect(pairs.filter(([a, b]) => overlaps(a, b))).toEqual([]);
});
