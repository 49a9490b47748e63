/**
 * How much two numbers of the same run may differ if different machines compute them in float32: the order of sums
 * differs, and every optimizer step adds to the difference. The bar is relative, grows with the step, and is part of
 * every result. Measured against PyTorch in the parity runs: losses of 100 steps differ by 1e-6 to 1e-5.
 */

/** float32's epsilon: the distance from 1 to the next number. */
const EPSILON = 2 ** -23;
const AT_FIRST = 64;
const PER_STEP = 16;
const MOST = 1e-2;

export interface Bar {
  /** The allowed relative difference after this many steps. */
  readonly at: (step: number) => number;
  readonly text: string;
}

export const GROWING_BAR: Bar = {
  at: (step) => Math.min(MOST, EPSILON * (AT_FIRST + PER_STEP * step)),
  text: `${AT_FIRST} roundings of float32 (7.6e-6), and ${PER_STEP} more for every step, at most 1e-2`,
};

/** A bar that the user gives, the same for every step. */
export const fixedBar = (value: number): Bar => ({ at: () => value, text: `${value}, for every step` });

/** Smaller losses are compared as if they were this large; the parity runs with PyTorch use the same value. */
export const LEAST_LOSS = 0.01;

/** |a - b| relative to the greater one; 0 if both are equal or both NaN, else Infinity if one is not finite. */
export function relative(a: number, b: number, least: number): number {
  if (Object.is(a, b) || a === b) return 0;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.POSITIVE_INFINITY;
  return Math.abs(a - b) / (Math.max(Math.abs(a), Math.abs(b)) + least);
}

/**
 * Gradients are sums over rows that partly cancel, so they may differ this many times more than losses and parameters.
 */
export const GRADIENT_FACTOR = 8;

/** The greatest of a list of any length (spreading a long list would overflow the stack); 0 for an empty one. */
export const greatest = (values: readonly number[]): number => values.reduce((most, x) => (x > most ? x : most), 0);
