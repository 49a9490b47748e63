/**
 * The little pictures on the data buttons: pictograms drawn from formulas, the same every time. The data that is trained on comes
 * from the session and is drawn in the result.
 */
import type { BuiltInData } from '../edit-config';

/** x and y in -1..1; value in -1..1 gives the colour. */
export type ThumbnailPoint = readonly [x: number, y: number, value: number];

const GOLDEN = 2.399963;
const COUNT = 84;

/** Points spread evenly over the disc of radius 1, without chance. */
const disc = Array.from({ length: COUNT }, (_, i) => {
  const radius = Math.sqrt((i + 0.5) / COUNT);
  return [radius * Math.cos(i * GOLDEN), radius * Math.sin(i * GOLDEN)] as const;
});

const DRAW: Readonly<Record<BuiltInData, () => readonly ThumbnailPoint[]>> = {
  circle: () =>
    disc.flatMap(([x, y]) => {
      const radius = Math.hypot(x, y);
      return radius > 0.5 && radius < 0.68 ? [] : [[x, y, radius <= 0.5 ? 1 : -1] as const];
    }),
  xor: () =>
    disc.flatMap(([x, y]) => (Math.min(Math.abs(x), Math.abs(y)) < 0.1 ? [] : [[x, y, x * y > 0 ? 1 : -1] as const])),
  gauss: () =>
    disc.map(([x, y], i) => (i % 2 ? [0.46 + x * 0.5, 0.46 + y * 0.5, 1] : [-0.46 + x * 0.5, -0.46 + y * 0.5, -1])),
  spiral: () =>
    Array.from({ length: COUNT }, (_, i) => {
      const arm = i % 2;
      const along = (0.06 + (0.94 * i) / COUNT) as number;
      const angle = along * 1.75 * 2 * Math.PI + arm * Math.PI;
      return [along * Math.sin(angle), along * Math.cos(angle), arm ? 1 : -1] as const;
    }),
  plane: () => disc.map(([x, y]) => [x, y, (x + y) / 1.4] as const),
  randomRegression: () =>
    disc.map(([x, y], i) => {
      const along = (2 * i) / COUNT - 1;
      return [along * 0.95, along * 0.55 + 0.32 * x * y + 0.3 * y, 0.55] as const;
    }),
};

export const thumbnailPoints = (type: BuiltInData): readonly ThumbnailPoint[] => DRAW[type]();
