/** The magnitudes of numbers: their powers of two, and how many are 0, inf or NaN. Pure. */

export interface Magnitudes {
  /** Powers of two of the finite values other than 0. */
  readonly powers: Float32Array;
  readonly zeros: number;
  readonly notFinite: number;
}

export function magnitudesOf(values: ArrayLike<number>): Magnitudes {
  const powers: number[] = [];
  let [zeros, notFinite] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = Math.abs(values[i] ?? 0);
    if (value === 0) zeros++;
    else if (Number.isFinite(value)) powers.push(Math.log2(value));
    else notFinite++;
  }
  return { powers: Float32Array.from(powers), zeros, notFinite };
}

/**
 * float16's range in powers of two: its smallest number, its smallest normal number, and an upper bound (the largest
 * number is 65504).
 */
export const FLOAT16 = { smallest: -24, full: -14, end: 16 } as const;
