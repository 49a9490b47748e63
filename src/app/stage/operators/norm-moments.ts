/**
 * Mean and spread of each group of a normalisation, read from the trace, and the picture of a kernel that computes only
 * these. Called by norm.ts.
 */
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { Operation } from './operator-picture';
import { ridge } from './ridge';
import type { Sketch } from './sketch';
import { rangeOf } from './tensors';

export interface Moments {
  readonly mean: DrawnOperand | undefined;
  /** One over the spread; for running statistics, the variance. */
  readonly inverse: DrawnOperand | undefined;
  readonly variance: boolean;
}

export function momentsOf({ reads, writes }: Operation): Moments {
  const all = [...writes, ...reads];
  const ends = (...names: readonly string[]) =>
    all.find(({ buffer }) => names.some((n) => buffer === n || buffer.endsWith(`.${n}`)));
  const inverse = ends('invstd', 'rstd');
  return inverse
    ? { mean: ends('mean'), inverse, variance: false }
    : { mean: ends('running_mean'), inverse: ends('running_var'), variance: true };
}

export function spreadOf({ inverse, variance }: Moments, group: number): number | undefined {
  const value = inverse?.values?.[group];
  if (value === undefined) return undefined;
  return variance ? Math.sqrt(value) : 1 / value;
}

/** The range of the values, with a small margin. */
export function widened(values: readonly number[]): readonly [number, number] {
  const [low, high] = rangeOf(values);
  const more = 0.04 * (high - low) || 1;
  return [low - more, high + more];
}

/** The right half of the picture, and the place of each group's row in it. */
export interface MomentsSide {
  readonly right: Rect;
  readonly rowAt: (place: Rect, i: number) => Rect;
  readonly count: number;
}

/** Draws the statistics for a kernel that computes nothing else. */
export function statistics(sketch: Sketch, moments: Moments, { right, rowAt, count }: MomentsSide): void {
  const means = Array.from({ length: count }, (_, g) => moments.mean?.values?.[g]);
  const spreads = Array.from({ length: count }, (_, g) => spreadOf(moments, g));
  const [low, high] = widened(
    means.flatMap((m, g) => (m === undefined ? [] : [m - (spreads[g] ?? 0), m + (spreads[g] ?? 0)])),
  );
  for (const [g, mean] of means.entries())
    ridge(sketch, new Float32Array(), rowAt(right, g), {
      range: [low, high],
      tone: 'activation',
      mean,
      spread: spreads[g],
    });
}
