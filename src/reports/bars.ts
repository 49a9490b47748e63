/**
 * How far apart two numbers of the same run may be, computed by different machines in float32: the order of sums
 * differs, and every optimizer step adds to that. The bar is relative, grows with the step, and is a part of every
 * result. Measured against PyTorch over the parity runs: losses of 100 steps differ by 1e-6 to 1e-5.
 */

/** Of float32: the distance from 1 to the next number. */
const EPSILON = 2 ** -23;
const AT_FIRST = 64;
const PER_STEP = 16;
const MOST = 1e-2;

export interface Bar {
  /** What a relative difference after that many steps may be. */
  readonly at: (step: number) => number;
  readonly text: string;
}

export const GROWING_BAR: Bar = {
  at: (step) => Math.min(MOST, EPSILON * (AT_FIRST + PER_STEP * step)),
  text: `${AT_FIRST} roundings of float32 (7.6e-6), and ${PER_STEP} more for every step, at most 1e-2`,
};

/** One that the user gives; the same for every step. */
export const fixedBar = (value: number): Bar => ({ at: () => value, text: `${value}, for every step` });

/** Losses near 0 are compared as if they were this. PyTorch's parity runs of this project use the same. */
export const LEAST_LOSS = 0.01;

/** |a - b| relative to the greater one; 0 where both are the same number, or none; Infinity where only one is. */
export function relative(a: number, b: number, least: number): number {
  if (Object.is(a, b) || a === b) return 0;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.POSITIVE_INFINITY;
  return Math.abs(a - b) / (Math.max(Math.abs(a), Math.abs(b)) + least);
}

/** Gradients are sums over rows and cancel: they may differ by so many times more than losses and parameters. */
export const GRADIENT_FACTOR = 8;

/** The greatest of a list that a file may have made as long as it likes: no stack holds its spread. 0 of none. */
export const greatest = (values: readonly number[]): number => values.reduce((most, x) => (x > most ? x : most), 0);
