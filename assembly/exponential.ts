/**
 * e^x of two doubles at a time: FreeBSD's e_exp.c (from fdlibm, Sun Microsystems), step by step, which V8's Math.exp
 * is, too, so the bits are the same.
 */
import { high, low, plusDoubles, rounded } from './lanes';

export const LN2_HIGH: f64 = 6.93147180369123816490e-01;
export const LN2_LOW: f64 = 1.90821492927058770002e-10;
const INVERSE_LN2: f64 = 1.44269504088896338700;
const P1: f64 = 1.66666666666666019037e-01;
const P2: f64 = -2.77777777770155933842e-03;
const P3: f64 = 6.61375632143793436117e-05;
const P4: f64 = -1.65339022054652515390e-06;
const P5: f64 = 4.13813679705723846039e-08;
/** From here on a multiple of ln 2 is taken out: the first number whose upper half is over that of ln(2) / 2. */
export const REDUCE_FROM: f64 = 0.3465735912322998046875;
const TINY: f64 = 3.725290298461914e-9;
const LARGEST: f64 = 709.782712893383973096;
/** Below it results are denormal. */
export const NORMAL_FROM: f64 = -708.0;

// @ts-ignore: decorator
@inline
export function double(x: f64): v128 {
  return f64x2.splat(x);
}

/** The first step of e^x, x = k ln 2 + (hi - lo): k is x / ln 2, rounded half away from 0. */
// @ts-ignore: decorator
@inline
export function multiple(x: v128): v128 {
  const half = v128.or(v128.and(x, double(-0.0)), double(0.5));
  return f64x2.trunc(f64x2.add(f64x2.mul(double(INVERSE_LN2), x), half));
}

/** e^(x - k ln 2). */
// @ts-ignore: decorator
@inline
function reducedExp(x: v128, k: v128): v128 {
  const hi = f64x2.sub(x, f64x2.mul(k, double(LN2_HIGH)));
  const lo = f64x2.mul(k, double(LN2_LOW));
  const r = f64x2.sub(hi, lo);
  const t = f64x2.mul(r, r);
  let p = plusDoubles(double(P4), t, double(P5));
  p = plusDoubles(double(P3), t, p);
  p = plusDoubles(double(P2), t, p);
  p = plusDoubles(double(P1), t, p);
  const c = f64x2.sub(r, f64x2.mul(t, p));
  const fraction = f64x2.div(f64x2.mul(r, c), f64x2.sub(double(2), c));
  return f64x2.sub(double(1), f64x2.sub(f64x2.sub(lo, fraction), hi));
}

/** 2^k for whole k from -1021 to 1023. */
// @ts-ignore: decorator
@inline
export function power(k: v128): v128 {
  // The lowest bits of a double as large as this are a whole number.
  const bits = i64x2.shl(f64x2.add(k, double(6755399441055744)), 52);
  return i64x2.add(bits, i64x2.splat(0x3ff0000000000000));
}

/** k is 0 for what is small. */
// @ts-ignore: decorator
@inline
function multipleOrNone(x: v128, size: v128): v128 {
  return v128.and(multiple(x), f64x2.ge(size, double(REDUCE_FROM)));
}

/** e^x of both. */
export function exp(x: v128): v128 {
  const size = f64x2.abs(x);
  // NaN fails both comparisons.
  const usual = v128.and(f64x2.ge(x, double(NORMAL_FROM)), f64x2.le(x, double(LARGEST)));
  if (!i64x2.all_true(usual)) return f64x2(expOne(f64x2.extract_lane(x, 0)), expOne(f64x2.extract_lane(x, 1)));
  const k = multipleOrNone(x, size);
  const y = reducedExp(x, k);
  // 2^1024 is no double.
  const last = f64x2.mul(f64x2.mul(y, double(2)), f64x2(8.98846567431158e307, 8.98846567431158e307));
  let result = v128.bitselect(last, f64x2.mul(y, power(k)), f64x2.eq(k, double(1024)));
  result = v128.bitselect(f64x2.add(double(1), x), result, f64x2.lt(size, double(TINY)));
  return v128.bitselect(double(2.718281828459045), result, f64x2.eq(x, double(1)));
}

/**
 * e^x of both, from NORMAL_FROM to 709: as exp, without what only other numbers need. e^1 may be one bit off, which
 * no float shows.
 */
// @ts-ignore: decorator
@inline
export function expUsual(x: v128): v128 {
  const size = f64x2.abs(x);
  const k = multipleOrNone(x, size);
  const result = f64x2.mul(reducedExp(x, k), power(k));
  return v128.bitselect(f64x2.add(double(1), x), result, f64x2.lt(size, double(TINY)));
}

/** The rare ends: NaN, what overflows, what is denormal. */
function expOne(x: f64): f64 {
  if (x != x) return x;
  if (x > LARGEST) return Infinity;
  if (x < -7.45133219101941108420e+02) return 0;
  if (x >= NORMAL_FROM) return f64x2.extract_lane(exp(f64x2.splat(x)), 0);
  const k = <i32>(INVERSE_LN2 * x - 0.5);
  const t = <f64>k;
  const hi = x - t * LN2_HIGH;
  const lo = t * LN2_LOW;
  const r = hi - lo;
  const square = r * r;
  const c = r - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
  const y = 1.0 - (lo - (r * c) / (2.0 - c) - hi);
  if (k >= -1021) return y * reinterpret<f64>((<i64>(0x3ff + k)) << 52);
  return y * reinterpret<f64>((<i64>(0x3ff + k + 1000)) << 52) * 9.33263618503218878990e-302;
}

/** e^x rounded, of four floats. */
// @ts-ignore: decorator
@inline
export function expOf(x: v128): v128 {
  if (i32x4.all_true(v128.and(f32x4.ge(x, f32x4.splat(-700)), f32x4.le(x, f32x4.splat(700))))) return rounded(expUsual(low(x)), expUsual(high(x)));
  return rounded(exp(low(x)), exp(high(x)));
}
