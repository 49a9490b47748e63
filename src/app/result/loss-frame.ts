/** The frame of the loss chart, shared by the axes before the first curve (loss-axes.tsx) and the plot. */

/** CSS pixels. */
export const X_AXIS = 20;
export const Y_AXIS = 34;
export const PAD = { top: 6, right: 12 } as const;
/** The axis of steps has at least this many steps. */
export const FIRST_STEPS = 10;

/** The end of the loss axis. */
export const topOf = (highest: number): number => (highest > 0 ? highest * 1.05 : 1);

/** Distances between two ticks of a step axis: whole numbers only. */
export const STEP_TICKS: readonly number[] = Array.from({ length: 9 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat();

/** Ticks at round numbers of steps from 0 to the last, at most `most`. */
export const stepTicks = (last: number, most: number): readonly number[] => ticksTo(last, Math.min(most, last));

/** Ticks at round numbers from 0 to the top, at most `most`. */
export function ticksTo(top: number, most: number): readonly number[] {
  const least = top / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((n) => n * power >= least) ?? 10);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}
