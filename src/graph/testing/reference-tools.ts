/**
 * What the double-precision formulas are written with; the formulas themselves are in families/, for reading and not
 * for speed.
 */
import { must } from '../../base/invariant';
import type { Shape } from '../../tensor/shape';
import type { Attrs } from '../op';

export interface Doubles {
  readonly shape: Shape;
  readonly data: readonly number[];
}

const ranges = new Map<number, readonly number[]>();

export type Formula = (inputs: readonly Doubles[], attrs: Attrs) => number[];

export const arg = (inputs: readonly Doubles[], i: number): Doubles => must(inputs[i], `reference input ${i}`);
/** 0 to n - 1. Made once: formulas ask for the same few, thousands of times. */
export function range(n: number): readonly number[] {
  const known = ranges.get(n);
  if (known) return known;
  const made = Array.from({ length: n }, (_, i) => i);
  ranges.set(n, made);
  return made;
}
/** Of f(0) to f(n - 1), in that order. */
export function sumOver(n: number, f: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += f(i);
  return sum;
}
export const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
export const el = (values: readonly number[], i: number): number =>
  values[i] ?? must<number>(undefined, `element ${i}`);

/** sum over k of a(m, k) b(k, n) */
export const product = (
  M: number,
  N: number,
  K: number,
  a: (m: number, k: number) => number,
  b: (k: number, n: number) => number,
): number[] => range(M).flatMap((m) => range(N).map((n) => sumOver(K, (k) => a(m, k) * b(k, n))));

export const map =
  (f: (x: number) => number): Formula =>
  (inputs) =>
    arg(inputs, 0).data.map(f);

export const logSumExp = (row: readonly number[]): number => {
  const max = Math.max(...row);
  return max + Math.log(total(row.map((v) => Math.exp(v - max))));
};

/** erf by its everywhere convergent series 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!!; good for |x| < 6. */
export function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
