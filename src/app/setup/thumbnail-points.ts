/**
 * The small pictures on the data buttons: pictograms from formulas, always the same. The session makes the data for
 * training, and the result draws them.
 */
import type { BuiltInData } from '../../protocol/config/data';

/** x and y in -1..1; value in -1..1 gives the colour. */
export type ThumbnailPoint = readonly [x: number, y: number, value: number];

/** Points, a grid of cells, pen strokes, or a line of characters. */
export type Pictogram =
  | { readonly kind: 'points'; readonly points: readonly ThumbnailPoint[] }
  | { readonly kind: 'cells'; readonly side: number; readonly values: readonly number[] }
  | { readonly kind: 'strokes'; readonly strokes: readonly (readonly (readonly [x: number, y: number])[])[] }
  | { readonly kind: 'signs'; readonly lines: readonly string[] };

const GOLDEN = 2.399963;
const COUNT = 84;

/** Points spread evenly over the disc of radius 1, without random numbers. */
const disc = Array.from({ length: COUNT }, (_, i) => {
  const radius = Math.sqrt((i + 0.5) / COUNT);
  return [radius * Math.cos(i * GOLDEN), radius * Math.sin(i * GOLDEN)] as const;
});
const points = (list: readonly ThumbnailPoint[]): Pictogram => ({ kind: 'points', points: list });

const arc = (cx: number, cy: number, radius: number, from: number, to: number) =>
  Array.from({ length: 25 }, (_, i) => {
    const angle = from + ((to - from) * i) / 24;
    return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)] as const;
  });
const PROTOTYPE_SIDE = 6;

const DRAW: Readonly<Record<BuiltInData, () => Pictogram>> = {
  circle: () =>
    points(
      disc.flatMap(([x, y]) => {
        const radius = Math.hypot(x, y);
        return radius > 0.5 && radius < 0.68 ? [] : [[x, y, radius <= 0.5 ? 1 : -1] as const];
      }),
    ),
  xor: () =>
    points(
      disc.flatMap(([x, y]) => (Math.min(Math.abs(x), Math.abs(y)) < 0.1 ? [] : [[x, y, x * y > 0 ? 1 : -1] as const])),
    ),
  gauss: () =>
    points(
      disc.map(([x, y], i) => (i % 2 ? [0.46 + x * 0.5, 0.46 + y * 0.5, 1] : [-0.46 + x * 0.5, -0.46 + y * 0.5, -1])),
    ),
  spiral: () =>
    points(
      Array.from({ length: COUNT }, (_, i) => {
        const arm = i % 2;
        const along = (0.06 + (0.94 * i) / COUNT) as number;
        const angle = along * 1.75 * 2 * Math.PI + arm * Math.PI;
        return [along * Math.sin(angle), along * Math.cos(angle), arm ? 1 : -1] as const;
      }),
    ),
  plane: () => points(disc.map(([x, y]) => [x, y, (x + y) / 1.4] as const)),
  randomRegression: () =>
    points(
      disc.map(([x, y], i) => {
        const along = (2 * i) / COUNT - 1;
        return [along * 0.95, along * 0.55 + 0.32 * x * y + 0.3 * y, 0.55] as const;
      }),
    ),
  prototypes: () => ({
    kind: 'cells',
    side: PROTOTYPE_SIDE,
    values: Array.from({ length: PROTOTYPE_SIDE ** 2 }, (_, i) => Math.sin(i * 2.7 + i * i * 0.31)),
  }),
  digits: () => ({
    kind: 'strokes',
    strokes: [[...arc(-0.02, 0.38, 0.4, 2.5, -Math.PI / 2), ...arc(-0.02, -0.42, 0.44, Math.PI / 2, -2.6)]],
  }),
  shapes: () => ({
    kind: 'strokes',
    strokes: [
      arc(-0.42, 0.42, 0.34, 0, 2 * Math.PI),
      [
        [0.14, 0.12],
        [0.74, 0.12],
        [0.74, 0.72],
        [0.14, 0.72],
        [0.14, 0.12],
      ],
      [
        [-0.34, -0.78],
        [0.34, -0.78],
        [0, -0.2],
        [-0.34, -0.78],
      ],
    ],
  }),
  sequence: () => ({ kind: 'signs', lines: ['3 1 2', '2 1 3'] }),
  text: () => ({ kind: 'signs', lines: ['Once', 'upon'] }),
};

export const pictogramOf = (type: BuiltInData): Pictogram => DRAW[type]();
