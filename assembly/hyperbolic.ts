/**
 * tanh of two doubles at a time: FreeBSD's s_tanh.c and s_expm1.c (from fdlibm, Sun Microsystems), which V8's Math.tanh
 * is, too. s_expm1.c has several formulas for large numbers, whose results differ far below the last bit of a float;
 * here one of them serves all numbers.
 */
import { double, LN2_HIGH, LN2_LOW, multiple, power, REDUCE_FROM } from './exponential';
import { high, low, plusDoubles, rounded } from './lanes';

const Q1: f64 = -3.33333333333331316428e-02;
const Q2: f64 = 1.58730158725481460165e-03;
const Q3: f64 = -7.93650757867487942473e-05;
const Q4: f64 = 4.00821782732936239552e-06;
const Q5: f64 = -2.01099218183624371326e-07;
/** Below it k is 1 or -1: the first number whose upper half is not below that of 3 ln(2) / 2. */
const ONE_BELOW: f64 = 1.0397205352783203;
/** Below it tanh(x) is x. */
const TINY: f64 = 3.725290298461914e-9;
/** From here on tanh(x) is 1. */
const MOST: f64 = 22;

/** e^x - 1 of both, from -2 to 44. */
// @ts-ignore: decorator
@inline
function expm1(x: v128): v128 {
  const size = f64x2.abs(x);
  const sign = v128.and(x, double(-0.0));
  const one = v128.or(double(1), sign);
  let k = v128.bitselect(one, multiple(x), f64x2.lt(size, double(ONE_BELOW)));
  k = v128.and(k, f64x2.ge(size, double(REDUCE_FROM)));
  const hi = f64x2.sub(x, f64x2.mul(k, double(LN2_HIGH)));
  const lo = f64x2.mul(k, double(LN2_LOW));
  const r = f64x2.sub(hi, lo);
  const c = f64x2.sub(f64x2.sub(hi, r), lo);
  const half = f64x2.mul(double(0.5), r);
  const square = f64x2.mul(r, half);
  let p = plusDoubles(double(Q4), square, double(Q5));
  p = plusDoubles(double(Q3), square, p);
  p = plusDoubles(double(Q2), square, p);
  p = plusDoubles(double(Q1), square, p);
  p = plusDoubles(double(1), square, p);
  const t = f64x2.sub(double(3), f64x2.mul(p, half));
  const quotient = f64x2.div(f64x2.sub(p, t), f64x2.sub(double(6), f64x2.mul(r, t)));
  let e = f64x2.mul(square, quotient);
  // k = 0: c is 0.
  const none = f64x2.sub(r, f64x2.sub(f64x2.mul(r, e), square));
  e = f64x2.sub(f64x2.sub(f64x2.mul(r, f64x2.sub(e, c)), c), square);
  const isNegative = f64x2.lt(k, double(0));
  // k > 0: (1 - 2^-k - (e - r)) 2^k. k < 0: (1 - (e - r)) 2^k - 1.
  const before = v128.andnot(power(f64x2.neg(k)), isNegative);
  const factor = power(k);
  const sum = f64x2.mul(f64x2.sub(f64x2.sub(double(1), before), f64x2.sub(e, r)), factor);
  let result = f64x2.sub(sum, v128.and(double(1), isNegative));
  const halved = f64x2.sub(f64x2.mul(double(0.5), f64x2.sub(r, e)), double(0.5));
  result = v128.bitselect(halved, result, f64x2.eq(k, double(-1)));
  return v128.bitselect(none, result, f64x2.eq(k, double(0)));
}

/** tanh(x) of both. */
// @ts-ignore: decorator
@inline
function tanh(x: v128): v128 {
  const size = f64x2.abs(x);
  const a = f64x2.pmin(size, double(MOST));
  const isLarge = f64x2.ge(a, double(1));
  const twice = f64x2.add(a, a);
  const t = expm1(v128.bitselect(twice, f64x2.neg(twice), isLarge));
  const q = f64x2.div(v128.bitselect(double(2), f64x2.neg(t), isLarge), f64x2.add(t, double(2)));
  const z = v128.bitselect(f64x2.sub(double(1), q), q, isLarge);
  const signed = v128.or(z, v128.and(x, double(-0.0)));
  return v128.bitselect(x, signed, f64x2.lt(size, double(TINY)));
}

/** tanh(x) of four floats, rounded. */
// @ts-ignore: decorator
@inline
export function tanhOf(x: v128): v128 {
  return rounded(tanh(low(x)), tanh(high(x)));
}
