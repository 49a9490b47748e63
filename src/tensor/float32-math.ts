/**
 * Float32 arithmetic of an AVX2 machine: fused multiply-add, and the polynomial log and sin/cos (from the Cephes
 * library) that torch's vectorised `normal_` uses. Needed only to match torch bit for bit; other code may use Math.
 */
const f = Math.fround;

/** a * b + c for float32 values with a single rounding. */
export function fma32(a: number, b: number, c: number): number {
  const product = a * b; // exact: 48 bits at most
  const sum = product + c;
  const rounded = f(sum);
  const rest = sum - rounded;
  if (rest === 0) return rounded;
  // Rounding twice is wrong only if the double sum is halfway between two floats; then its own rounding error decides.
  const other = rounded + 2 * rest;
  if (f(other) !== other) return rounded;
  const part = sum - product;
  const error = product - (sum - part) + (c - part);
  if (error === 0) return rounded;
  return error > 0 ? Math.max(rounded, other) : Math.min(rounded, other);
}

const LOG = [
  -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1,
  -2.4999993993e-1, 3.3333331174e-1,
].map(f);
const LOG_FIRST = f(7.0376836292e-2);
const SQRT_HALF = f(Math.SQRT1_2);
const LN2_LOW = f(-2.1219444e-4);
const LN2_HIGH = f(0.693359375);

/** Natural logarithm of `j * 2^-24`, j = 1 .. 2^24. */
export function logOfU24(j: number): number {
  const bits = 32 - Math.clz32(j);
  const mantissa = j / 2 ** bits; // in [0.5, 1)
  let e = bits - 24;
  let x = f(mantissa - 1);
  if (mantissa < SQRT_HALF) {
    e -= 1;
    x = f(x + mantissa);
  }
  const z = f(x * x);
  let y = LOG_FIRST;
  for (const p of LOG) y = fma32(y, x, p);
  y = f(y * x);
  y = fma32(y, z, f(e * LN2_LOW));
  y = fma32(-z, 0.5, y);
  return fma32(e, LN2_HIGH, f(x + y));
}

const FOUR_OVER_PI = f(1.27323954473516);
const PI4_A = f(-0.78515625);
const PI4_B = f(-2.4187564849853516e-4);
const PI4_C = f(-3.774894977445941e-8);
const COS = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2].map(f) as [number, number, number];
const SIN = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1].map(f) as [number, number, number];

/** Sine and cosine of a float32 angle in [0, 2 pi). */
export function sinCos32(angle: number): readonly [sin: number, cos: number] {
  const j = (Math.trunc(f(angle * FOUR_OVER_PI)) + 1) & ~1;
  const x = fma32(j, PI4_C, fma32(j, PI4_B, fma32(j, PI4_A, angle)));
  const z = f(x * x);
  let c = fma32(fma32(COS[0], z, COS[1]), z, COS[2]);
  c = fma32(f(c * z), z, -f(z * 0.5));
  c = f(c + 1);
  const s = fma32(f(fma32(fma32(SIN[0], z, SIN[1]), z, SIN[2]) * z), x, x);
  const swap = (j & 2) !== 0;
  const sin = swap ? c : s;
  const cos = swap ? s : c;
  return [(j & 4) !== 0 ? -sin : sin, ((j - 2) & 4) !== 0 ? cos : -cos];
}
