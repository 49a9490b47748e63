import { describe, expect, test } from 'vitest';
import type { LabelledImage } from '../../../protocol/session-info';
import { drawingInput } from './drawing-input';
import { imageLook } from './image-look';
import { type HandDrawing, withPoint, withStroke } from './strokes';

const LOOK = { extent: 20 / 28, brightness: 1, pen: 1, filled: false };
const line = (x: number, from: number, to: number): HandDrawing => [
  Array.from({ length: 20 }, (_, i) => [x, from + ((to - from) * i) / 19] as const),
];

/** The rows and columns that contain ink, and the ink's centre. */
function inkOf(image: Float32Array, width: number) {
  const at = [...image].flatMap((ink, i) => (ink > 0.5 ? [[i % width, Math.floor(i / width)] as const] : []));
  const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return { width: right - left + 1, height: bottom - top + 1, x: (left + right + 1) / 2, y: (top + bottom + 1) / 2 };
}

describe('a drawing as the model reads it', () => {
  test('an empty pad is an empty picture', () => {
    expect(drawingInput([], [1, 8, 8], LOOK)).toEqual(new Float32Array(64));
  });

  test('values are 0 to 1, of the wanted shape, alike in every channel', () => {
    const input = drawingInput(line(0.5, 0.1, 0.9), [3, 10, 12], { ...LOOK, brightness: 0.8 });
    expect(input).toHaveLength(360);
    expect(Math.max(...input)).toBeCloseTo(0.8, 6);
    expect(Math.min(...input)).toBe(0);
    expect(input.subarray(0, 120)).toEqual(input.subarray(240));
  });

  test('wherever and however small it is drawn, it comes out the same', () => {
    const large = drawingInput(line(0.5, 0.1, 0.9), [1, 28, 28], LOOK);
    const small = drawingInput(line(0.2, 0.6, 0.9), [1, 28, 28], LOOK);
    for (const [i, ink] of small.entries()) expect(ink).toBeCloseTo(large[i] ?? Number.NaN, 5);
  });

  test('it fills as much as the data do, in the middle', () => {
    const ink = inkOf(drawingInput(line(0.9, 0.2, 0.5), [1, 28, 28], LOOK), 28);
    expect(ink.height).toBe(20);
    expect(ink.width).toBe(2);
    expect([ink.x, ink.y]).toEqual([14, 14]);
  });

  test('a dot stays a dot', () => {
    const ink = inkOf(drawingInput([[[0.3, 0.3]]], [1, 28, 28], LOOK), 28);
    expect(Math.max(ink.width, ink.height)).toBeLessThanOrEqual(3);
  });

  test('an outline is filled where the data are figures, and one within another is a hole', () => {
    const circle = (radius: number) =>
      Array.from({ length: 60 }, (_, i) => {
        const angle = (2 * Math.PI * i) / 60;
        return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)] as const;
      });
    const look = { ...LOOK, filled: true };
    const middle = 8 * 16 + 8;
    expect(drawingInput([circle(0.4)], [1, 16, 16], LOOK)[middle]).toBe(0);
    expect(drawingInput([circle(0.4)], [1, 16, 16], look)[middle]).toBe(1);
    expect(drawingInput([circle(0.4), circle(0.2)], [1, 16, 16], look)[middle]).toBe(0);
  });
});

test('redundant points are dropped', () => {
  const one = withStroke([], [0.5, 0.5]);
  expect(withPoint(one, [0.501, 0.5])).toBe(one);
  expect(withPoint(one, [0.6, 0.5])).toEqual([
    [
      [0.5, 0.5],
      [0.6, 0.5],
    ],
  ]);
});

test('the look of images is measured past their noise', () => {
  const image = (height: number): LabelledImage => {
    const pixels = new Uint8Array(100).map((_, i) => (i * 7) % 20);
    for (let row = 1; row <= height; row++) pixels[row * 10 + 4] = 204;
    return { row: 0, label: 1, shape: [1, 10, 10], pixels };
  };
  const look = imageLook([image(6), image(7), image(8)], 10, false);
  expect(look.extent).toBeCloseTo(0.7, 6);
  expect(look.brightness).toBeCloseTo(0.8, 6);
  expect(look.pen).toBe(0.5);
  expect(imageLook([], 28, false).extent).toBeGreaterThan(0.5);
});
