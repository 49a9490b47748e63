/** A histogram as a ridge over its base line, with the mean and the spread as lines. */
import type { Path, Rect } from '../../draw/geometry';
import type { SceneTone } from '../scene-types';
import type { Sketch } from './sketch';

export interface RidgeLook {
  readonly range: readonly [low: number, high: number];
  readonly tone: SceneTone;
  readonly mean?: number | undefined;
  readonly spread?: number | undefined;
  /** Draws a line at 0. */
  readonly zero?: boolean;
}

const BIN = 5;

/** The shares of the values in bins of equal width over the range. */
export function histogram(
  values: ArrayLike<number>,
  [low, high]: readonly [number, number],
  bins: number,
): Float64Array {
  const counts = new Float64Array(bins);
  let all = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    const bin = Math.floor(((value - low) / (high - low || 1)) * bins);
    counts[Math.max(0, Math.min(bins - 1, bin))] = (counts[Math.max(0, Math.min(bins - 1, bin))] ?? 0) + 1;
    all++;
  }
  return all === 0 ? counts : counts.map((n) => n / all);
}

export function ridge(
  sketch: Sketch,
  values: Float32Array,
  rect: Rect,
  { range, tone, mean, spread, zero }: RidgeLook,
): void {
  const [low, high] = range;
  const base = rect.y + rect.height - 2;
  const xOf = (value: number): number =>
    rect.x + Math.max(0, Math.min(1, (value - low) / (high - low || 1))) * rect.width;
  sketch.line(
    [
      { x: rect.x, y: base },
      { x: rect.x + rect.width, y: base },
    ],
    'line',
    { below: true },
  );
  if (zero)
    sketch.line(
      [
        { x: xOf(0), y: rect.y },
        { x: xOf(0), y: base },
      ],
      'soft',
      { dash: [2, 3], below: true },
    );
  if (values.length > 0) {
    const bins = Math.max(8, Math.min(48, Math.floor(rect.width / BIN)));
    const counts = histogram(values, range, bins);
    const most = Math.max(...counts) || 1;
    const step = rect.width / bins;
    const high_ = rect.height - 4;
    // The outline has steps, as in a histogram.
    const outline: Path = [...counts].flatMap((share, i) => {
      const y = base - Math.sqrt(share / most) * high_;
      return [
        { x: rect.x + i * step, y },
        { x: rect.x + (i + 1) * step, y },
      ];
    });
    sketch.area([{ x: rect.x, y: base }, ...outline, { x: rect.x + rect.width, y: base }], tone, 0.5);
  }
  if (mean === undefined || !Number.isFinite(mean)) return;
  if (spread !== undefined && Number.isFinite(spread))
    sketch.line(
      [
        { x: xOf(mean - spread), y: base },
        { x: xOf(mean + spread), y: base },
      ],
      'ink',
      { width: 2.5 },
    );
  sketch.line(
    [
      { x: xOf(mean), y: rect.y + 2 },
      { x: xOf(mean), y: base },
    ],
    'ink',
    { width: 1.5 },
  );
}
