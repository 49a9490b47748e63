import { describe, expect, it } from 'vitest';
import { formatShare, formatValue } from './canvas-numbers';
import { contains, pathLength, pathUntil, pointAlong } from './geometry';
import { cellValue } from './heat-map';
import { hitTest } from './hit-regions';
import { ellipsize, firstFit, type MeasureText } from './text';
import { boundsFor, placeTip } from './tip-place';
import { endOfScale, inUnits, powerOfTen, scaleValue, unitOf } from './value-scale';

const box = (id: string, x: number, y: number, width: number, height: number) => ({
  id,
  rect: { x, y, width, height },
});

describe('hitTest', () => {
  const items = [box('room', 0, 0, 100, 100), box('tile', 10, 10, 20, 20), box('packet', 25, 25, 10, 10)];

  it('finds the item painted last', () => {
    expect(hitTest(items, { x: 5, y: 5 })?.id).toBe('room');
    expect(hitTest(items, { x: 12, y: 12 })?.id).toBe('tile');
    expect(hitTest(items, { x: 27, y: 27 })?.id).toBe('packet');
  });

  it('reaches a small item from nearby, the nearest first', () => {
    const apart = [box('a', 0, 0, 4, 4), box('b', 20, 0, 4, 4)];
    expect(hitTest(apart, { x: 9, y: 2 }, 6)?.id).toBe('a');
    expect(hitTest(apart, { x: 16, y: 2 }, 6)?.id).toBe('b');
    expect(hitTest(apart, { x: 12, y: 30 }, 6)).toBeUndefined();
  });

  it('prefers the item under the pointer to items that are only near', () => {
    expect(hitTest([box('under', 0, 0, 50, 50), box('near', 52, 0, 10, 10)], { x: 49, y: 5 }, 8)?.id).toBe('under');
  });
});

describe('paths', () => {
  const bent = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 30 },
  ];

  it('are walked at an even pace round their corners', () => {
    expect(pathLength(bent)).toBe(40);
    expect(pointAlong(bent, 0.125)).toMatchObject({ x: 5, y: 0, dx: 1, dy: 0 });
    expect(pointAlong(bent, 0.5)).toMatchObject({ x: 10, y: 10, dx: 0, dy: 1 });
    expect(pointAlong(bent, 1)).toMatchObject({ x: 10, y: 30 });
  });

  it('are cut where the walk is', () => {
    for (const fraction of [0, 0.1, 0.25, 0.6, 1])
      expect(pathLength(pathUntil(bent, fraction))).toBeCloseTo(40 * fraction, 9);
  });
});

describe('text', () => {
  const measure: MeasureText = (text) => text.length * 10;
  const style = { size: 11 };

  it('is cut to its width, or omitted if no text would remain', () => {
    expect(ellipsize('rank 3', 60, style, measure)).toBe('rank 3');
    expect(ellipsize('replicate', 60, style, measure)).toBe('repli…');
    expect(ellipsize('replicate', 30, style, measure)).toBe('');
  });

  it('takes the longest alternative that fits', () => {
    expect(firstFit(['backward 2', 'bwd 2', '2'], 55, style, measure)).toBe('bwd 2');
    expect(firstFit(['backward 2', 'bwd 2', '2'], 15, style, measure)).toBe('2');
  });
});

describe('values', () => {
  it('are coloured by an odd, rising scale that ends at the given colours', () => {
    for (const end of [0.03, 2]) {
      const values = [-2.5, -1, -0.5, -0.01, 0, 0.01, 0.5, 1, 2.5].map((v) => v * end);
      const scaled = values.map((v) => scaleValue(v, end));
      scaled.forEach((s, i) => {
        expect(s).toBeCloseTo(-(scaled.at(-1 - i) ?? 0), 12);
        expect(s).toBeGreaterThanOrEqual(scaled[i - 1] ?? -1);
      });
      expect(scaled.at(-1)).toBe(1);
      // A tenth of the largest is plainly coloured.
      expect(scaleValue(0.1 * end, end)).toBeGreaterThan(0.19);
    }
    expect(scaleValue(Number.NaN, 1)).toBeNaN();
  });

  it('find the end of their scale: round, and nearly all of them are below it', () => {
    const sizes = Float32Array.from({ length: 100 }, (_, i) => (i === 99 ? 40 : 0.0005 * i));
    const end = endOfScale(sizes);
    expect(end).toBe(0.05);
    expect(sizes.filter((v) => v <= end).length).toBeGreaterThan(97);
    expect(endOfScale(new Float32Array())).toBe(1);
    expect(endOfScale(Float32Array.of(1))).toBe(1);
  });

  it('are printed in units in which they have two digits', () => {
    expect([0.046, 0.3, 1, 5, 51].map(unitOf)).toEqual([-3, -2, -1, -1, 0]);
    expect([-0.0342, 0.046, 0.0004, -0.0001].map((v) => inUnits(v, -3))).toEqual(['−34', '46', '0', '0']);
    expect([-3, 0, 2, -12].map(powerOfTen)).toEqual(['10⁻³', '1', '10²', '10⁻¹²']);
  });

  it('are read through their window', () => {
    const cells = {
      values: Float32Array.from([0, 1, 2, 3, 4, 5, 6, 7]),
      offset: 2,
      stride: 3,
      rows: 2,
      columns: 2,
      end: 1,
    };
    expect([cellValue(cells, 0, 0), cellValue(cells, 0, 1), cellValue(cells, 1, 0), cellValue(cells, 1, 1)]).toEqual([
      2, 3, 5, 6,
    ]);
    expect(cellValue({ ...cells, count: 3 }, 1, 1)).toBeUndefined();
    expect(cellValue(cells, 5, 0)).toBeUndefined();
    // Transposed: rows are one apart, columns a row's length.
    expect(cellValue({ ...cells, stride: 1, step: 3 }, 1, 1)).toBe(6);
    expect(cellValue({ ...cells, stride: 1, step: 3 }, 0, 1)).toBe(5);
  });

  it('are written with their sign, size and oddities', () => {
    expect([0, 0.01234567, -2.5, 1.5e-7, 123456].map(formatValue)).toEqual([
      '0',
      '0.01235',
      '-2.5',
      '1.50e-7',
      '1.23e+5',
    ]);
    expect(formatValue(Number.NaN)).toBe('NaN');
    expect([formatShare(0.125), formatShare(1e-6), formatShare(0)]).toEqual(['12.5 %', '< 0.01 %', '0 %']);
  });
});

describe('placeTip', () => {
  const window = { x: 0, y: 0, width: 800, height: 600 };
  const tip = { width: 200, height: 100 };

  it('never leaves the window', () => {
    for (const x of [0, 300, 790]) {
      for (const y of [0, 80, 300, 590]) {
        const at = placeTip({ x, y, width: 10, height: 10 }, tip, window);
        expect(contains(window, at)).toBe(true);
        expect(at.x + tip.width).toBeLessThanOrEqual(window.width);
        expect(at.y + tip.height).toBeLessThanOrEqual(window.height);
      }
    }
  });

  it('is above its anchor, and below where there is no room above', () => {
    expect(placeTip({ x: 300, y: 300, width: 10, height: 10 }, tip, window).y).toBe(190);
    expect(placeTip({ x: 300, y: 20, width: 10, height: 10 }, tip, window).y).toBe(40);
  });

  it('stays in its figure, where the controls around it are not covered, as far as it fits', () => {
    const figure = { x: 100, y: 200, width: 500, height: 250 };
    for (const y of [200, 300, 440]) {
      const at = placeTip({ x: 120, y, width: 60, height: 10 }, tip, boundsFor(tip, figure, window));
      expect(contains(figure, at) && contains(figure, { x: at.x + tip.width, y: at.y + tip.height })).toBe(true);
    }
    expect(boundsFor({ width: 200, height: 300 }, figure, window)).toEqual(window);
  });
});
