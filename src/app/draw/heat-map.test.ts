import { afterEach, expect, it, vi } from 'vitest';
import { at } from '../../base/invariant';
import { createHeat, type HeatCells } from './heat-map';

const COLOURS = { diverging: () => '#888888', divergingRgba: new Uint8ClampedArray(1024), bad: '#ff0000' };
const RECT = { x: 0, y: 0, width: 80, height: 80 };

const cellsOf = (): HeatCells => ({
  values: Float32Array.of(1, -1, 0.5, 0),
  offset: 0,
  stride: 2,
  rows: 2,
  columns: 2,
  end: 1,
});

/** Counts the cells drawn one by one, the bitmaps made, and the bitmaps drawn. */
function counting() {
  const count = { cells: 0, made: 0, drawn: 0 };
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      constructor() {
        count.made++;
      }
      getContext() {
        return { createImageData: () => ({ data: new Uint8ClampedArray(16) }), putImageData: () => undefined };
      }
    },
  );
  const pen = { fillRect: () => count.cells++, drawImage: () => count.drawn++ };
  return { count, context: pen as unknown as CanvasRenderingContext2D };
}

afterEach(() => vi.unstubAllGlobals());

it('gives matrices that come together their bitmaps in different frames, and draws all of them in every frame', () => {
  const { count, context } = counting();
  const heat = createHeat(COLOURS);
  const matrices = Array.from({ length: 40 }, cellsOf);
  const made: number[] = [];
  for (let frame = 0; frame < 30; frame++) {
    const before = { ...count };
    for (const cells of matrices) heat(context, cells, RECT, undefined);
    made.push(count.made - before.made);
    expect((count.cells - before.cells) / 4 + count.drawn - before.drawn).toBe(matrices.length);
  }
  expect(Math.max(...made)).toBeLessThanOrEqual(4);
  expect(made.reduce((a, b) => a + b)).toBe(matrices.length);
  expect(at(made, 0)).toBe(0);
});
