import { describe, expect, it } from 'vitest';
import { CAPTURE_LIMIT, capturedElements } from '../../protocol/trace';
import { bottom, overlaps, type Rect, right } from '../draw/geometry';
import { layoutChunks, layoutWire, PRINTED } from './chunk-layout';
import { type LayerLayout, type LayerSpec, layoutLayers } from './layer-layout';
import { activationWindow, matrixWindow } from './matrix-window';
import { layoutProduct } from './product-layout';
import type { ProductPart, ProductSpec } from './product-spec';
import { divideBody, frameRoom, levelOf } from './room-layout';

const layer = (out: number, into: number): LayerSpec => ({ weight: [out, into], bias: true });
const mlp = (...widths: readonly number[]): readonly LayerSpec[] =>
  widths.slice(1).map((w, i) => layer(w, widths[i] ?? 1));

const LAYERS: Readonly<Record<string, readonly LayerSpec[]>> = {
  toy: mlp(2, 8, 8, 1),
  mnist: mlp(784, 256, 128, 10),
  deep: mlp(10, ...Array.from({ length: 15 }, () => 32), 1),
  cnn: [[8, 1, 3, 3], [8], [16, 8, 3, 3], [16], [10, 784]].map((weight) => ({ weight, bias: true })),
  gpt: Array.from({ length: 4 }, () => [layer(192, 64), layer(64, 64), layer(256, 64), layer(64, 256)]).flat(),
};

const part = (shape: readonly number[], more: Partial<ProductPart> = {}): ProductPart => ({
  buffer: shape.join(),
  shape,
  category: 'activation',
  transposed: false,
  labels: ['input, 16 × 8', 'input'],
  made: false,
  ...more,
});
const weight = { category: 'parameter', transposed: true } as const;
const product = (parts: readonly ProductPart[], lead = false): ProductSpec => ({
  key: '',
  parts,
  signs: parts.slice(1).map(() => '='),
  lead,
  words: lead ? ['δᵀh, a sum over 16 samples'] : [],
});
const forward = (rows: number, into: number, out: number) =>
  product([part([rows, into]), part([out, into], weight), part([rows, out])]);
const backward = (rows: number, into: number, out: number) =>
  product(
    [
      part([out, into], { category: 'gradient', bias: { buffer: 'b', shape: [out] } }),
      part([rows, out]),
      part([rows, into]),
    ],
    true,
  );
const PRODUCTS: Readonly<Record<string, ProductSpec>> = {
  toy: forward(16, 2, 8),
  square: forward(16, 8, 8),
  wide: forward(32, 784, 256),
  gradient: backward(16, 8, 8),
  'large gradient': backward(64, 784, 256),
  images: product([part([16, 8, 28, 28]), part([16, 8, 3, 3], { category: 'parameter' }), part([16, 16, 28, 28])]),
  tokens: product([part([4, 32, 64]), part([192, 64], weight), part([4, 32, 192])]),
  loss: product([part([16, 4]), part([16]), part([1])]),
};

/** From the smallest of sixteen rooms to one that fills a large screen. */
const SIZES = [
  [70, 60],
  [96, 80],
  [120, 150],
  [150, 96],
  [171, 224],
  [230, 200],
  [300, 330],
  [340, 110],
  [364, 166],
  [560, 480],
  [860, 640],
].map(([width = 0, height = 0]) => ({ x: 30, y: 50, width, height }));

const inside = (inner: Rect, outer: Rect): boolean =>
  inner.x >= outer.x - 0.5 &&
  inner.y >= outer.y - 0.5 &&
  right(inner) <= right(outer) + 0.5 &&
  bottom(inner) <= bottom(outer) + 0.5;

function holds(rects: readonly (Rect | undefined)[], outer: Rect, where: string): void {
  const there = rects.flatMap((r) => (r && r.width > 0 && r.height > 0 ? [r] : []));
  there.forEach((rect, i) => {
    expect(inside(rect, outer), `${where}: ${JSON.stringify(rect)} in ${JSON.stringify(outer)}`).toBe(true);
    for (const other of there.slice(i + 1))
      expect(overlaps(shrunk(rect), shrunk(other)), `${where}: ${JSON.stringify([rect, other])}`).toBe(false);
  });
}

/** Rectangles that touch do not overlap, however they are rounded. */
const shrunk = (r: Rect): Rect => ({ x: r.x + 0.05, y: r.y + 0.05, width: r.width - 0.1, height: r.height - 0.1 });

describe('a room of any size', () => {
  it.each(SIZES)(
    '$width x $height: the parts are inside the room and do not overlap, whatever the room shows',
    (room) => {
      const frame = frameRoom(room);
      holds([frame.header, frame.subtitle, frame.body, frame.memory?.bar, frame.memory?.label], room, 'frame');
      for (let needs = 0; needs < 16; needs++) {
        const has = (bit: number) => (needs & bit) !== 0;
        const body = divideBody(frame.body, frame.level, { strip: has(1), layers: has(2), wire: has(4), tabs: has(8) });
        holds([body.strip, body.main, body.layers, body.wire, body.wireLabel, body.tabs], frame.body, `needs ${needs}`);
        // No room is half empty: the main content fills most of it.
        expect(body.main.height, `needs ${needs}`).toBeGreaterThan(0.38 * frame.body.height);
      }
    },
  );

  it('has a level of detail', () => {
    expect(
      [
        [70, 60],
        [171, 140],
        [300, 330],
      ].map(([width = 0, height = 0]) => levelOf({ x: 0, y: 0, width, height })),
    ).toEqual(['glyph', 'compact', 'whole']);
  });
});

describe('layers, products and chunks', () => {
  const bodies = SIZES.map(
    (room) =>
      divideBody(frameRoom(room).body, levelOf(room), { strip: true, layers: false, wire: false, tabs: false }).main,
  );

  it.each(Object.entries(LAYERS))(
    'the layers of %s are inside and do not overlap, all of them or none',
    (name, specs) => {
      for (const area of bodies) {
        const layers = layoutLayers(specs, area) ?? [];
        expect([0, specs.length]).toContain(layers.length);
        holds(
          layers.flatMap((l: LayerLayout) => [l.label, l.weight, l.bias]),
          area,
          `${name} ${area.width}x${area.height}`,
        );
      }
      expect(layoutLayers(specs, { x: 0, y: 0, width: 340, height: 300 })).toHaveLength(specs.length);
    },
  );

  it.each(Object.entries(PRODUCTS))('%s is inside and does not overlap', (name, spec) => {
    for (const area of bodies) {
      const layout = layoutProduct(spec, area);
      if (area.width > 100 && area.height > 60) expect(layout, `${name} ${area.width}x${area.height}`).toBeDefined();
      holds(
        [...(layout?.parts ?? []).flatMap((p) => [p.label, p.map, p.bias]), layout?.words],
        area,
        `${name} ${area.width}x${area.height}`,
      );
    }
  });

  it.each([
    [1, 1],
    [2, 102],
    [4, 9],
    [4, 51],
    [4, 4000],
    [8, 9],
    [8, 26],
    [16, 13],
    [16, 900],
  ])('%i chunks of %i are inside and do not overlap, and no cell is shown twice', (count, length) => {
    const spec = { lengths: Array.from({ length: count }, () => length), ranks: count };
    for (const area of bodies) {
      for (const layout of [layoutChunks(spec, area), layoutWire(spec, area)]) {
        const where = `${count} of ${length} in ${area.width}x${area.height}`;
        holds(
          (layout?.chunks ?? []).flatMap((c) => [c.cells, c.bars, c.arrival, c.caption]),
          area,
          where,
        );
        for (const c of layout?.chunks ?? []) {
          expect(c.count).toBeLessThanOrEqual(Math.min(length, c.columns * c.rows));
          if (c.prints) expect(c.cells.width / c.columns).toBeGreaterThanOrEqual(PRINTED - 0.01);
        }
      }
    }
  });

  it('chunks are rows at one height in every room of a size', () => {
    const spec = { lengths: [9, 9, 9, 9], ranks: 4 };
    const [a, b] = [0, 400].map((x) => layoutChunks(spec, { x, y: 20, width: 268, height: 260 }));
    expect(a?.kind).toBe('rows');
    expect(a?.chunks.map((c) => c.frame.y)).toEqual(b?.chunks.map((c) => c.frame.y));
    expect(a?.chunks.every((c) => c.prints && c.arrival)).toBe(true);
  });

  it('a low and wide room has tiles side by side, with printed values', () => {
    const layout = layoutChunks({ lengths: [9, 9, 9, 9], ranks: 4 }, { x: 0, y: 0, width: 340, height: 80 });
    expect(layout?.kind).toBe('tiles');
    expect(layout?.chunks.map((c) => [c.columns, c.rows, c.prints])).toEqual(Array(4).fill([3, 3, true]));
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

  it('shows the captured part of the first sample of a batch of images or tokens', () => {
    expect(activationWindow([16, 8, 28, 28], 16)).toMatchObject({
      rows: 56,
      columns: 56,
      label: 'first 4 of 8 channels, sample 1 of 16',
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
      expect((rows - 1) * stride + columns).toBeLessThanOrEqual(capturedElements(shape));
    }
    for (const shape of [
      [2, 3, 64, 64],
      [2, 1, 8, 8],
      [1, 5, 31, 33],
    ]) {
      const { tiles } = activationWindow(shape, 16);
      expect((tiles?.count ?? 0) * (tiles?.rows ?? 0) * (tiles?.columns ?? 0)).toBeLessThanOrEqual(
        capturedElements(shape),
      );
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
