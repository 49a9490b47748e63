/** The frame of the loss chart, the same for its axes before there is a curve (loss-axes.tsx) and for the plot. */

/** CSS pixels. */
export const X_AXIS = 20;
export const Y_AXIS = 34;
export const PAD = { top: 6, right: 12 } as const;
/** The axis of steps has at least this many steps. */
export const FIRST_STEPS = 10;

/** Where the axis of losses ends. */
export const topOf = (highest: number): number => (highest > 0 ? highest * 1.05 : 1);

/** Distances between two ticks of an axis of steps: there is no half step. */
export const STEP_TICKS: readonly number[] = Array.from({ length: 9 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat();

/** Round numbers of steps from 0 to the last, as many as have room. */
export const stepTicks = (last: number, most: number): readonly number[] => ticksTo(last, Math.min(most, last));

/** Round numbers from 0 to the top, as many as have room. */
export function ticksTo(top: number, most: number): readonly number[] {
  const least = top / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((n) => n * power >= least) ?? 10);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}
