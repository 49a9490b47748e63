/** Small steps that several kernels share: floats to doubles and back, transposed blocks, the ends of a vector. */

export const FLOATS = 4;
export const FLOAT = 4;
export const DOUBLE = 8;
export const VECTOR = 16;

/** Imported from JavaScript: needed once a row. */
// @ts-ignore: decorator
@external("env", "log")
export declare function log(x: f64): f64;

/**
 * sum + x y of four floats: the product is rounded and then the sum, unless this is compiled with relaxed SIMD (setting
 * fusedMultiplyAdd). Then the machine may round once.
 */
// @ts-ignore: decorator
@inline
export function plus(sum: v128, x: v128, y: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(x, y, sum);
  return f32x4.add(sum, f32x4.mul(x, y));
}

/** As plus, of two doubles. */
// @ts-ignore: decorator
@inline
export function plusDoubles(sum: v128, x: v128, y: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(x, y, sum);
  return f64x2.add(sum, f64x2.mul(x, y));
}

/** Whether this machine rounds `plus` once: (1 + e)(1 - e) - 1 is -e e, which is lost where the product is rounded. */
export function fuses(e: f32): bool {
  const x = f32x4.splat(1 + e);
  return f32x4.extract_lane(plus(f32x4.splat(-1), x, f32x4.splat(1 - e)), 0) != 0;
}

/** Elements 0 and 1 of four floats as doubles. */
// @ts-ignore: decorator
@inline
export function low(x: v128): v128 {
  return f64x2.promote_low_f32x4(x);
}

/** Elements 2 and 3 of four floats as doubles. */
// @ts-ignore: decorator
@inline
export function high(x: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(x, x, 1, 1));
}

/** Two pairs of doubles as four floats, each rounded once. */
// @ts-ignore: decorator
@inline
export function rounded(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(f32x4.demote_f64x2_zero(a), f32x4.demote_f64x2_zero(b), 0, 2);
}

/** (x - center) scale, in double precision. */
// @ts-ignore: decorator
@inline
export function normed(x: v128, center: v128, scale: v128): v128 {
  return f64x2.mul(f64x2.sub(x, center), scale);
}

/** Copies a transposed block of 4 x 4 floats: rows `step` bytes apart are read, columns `width` bytes apart written. */
// @ts-ignore: decorator
@inline
export function transpose4(from: usize, step: usize, to: usize, width: usize): void {
  const r0 = v128.load(from);
  const r1 = v128.load(from + step);
  const r2 = v128.load(from + 2 * step);
  const r3 = v128.load(from + 3 * step);
  const a = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
  const b = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
  const c = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
  const d = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i64>(a, b, 0, 2));
  v128.store(to + width, v128.shuffle<i64>(a, b, 1, 3));
  v128.store(to + 2 * width, v128.shuffle<i64>(c, d, 0, 2));
  v128.store(to + 3 * width, v128.shuffle<i64>(c, d, 1, 3));
}

/** The first `count` of four floats, the others 0. */
export function loadSome(from: usize, count: i32): v128 {
  let x = f32x4.splat(0);
  if (count > 0) x = f32x4.replace_lane(x, 0, load<f32>(from));
  if (count > 1) x = f32x4.replace_lane(x, 1, load<f32>(from, 4));
  if (count > 2) x = f32x4.replace_lane(x, 2, load<f32>(from, 8));
  if (count > 3) x = f32x4.replace_lane(x, 3, load<f32>(from, 12));
  return x;
}

/** Writes the first `count` of four floats. */
export function storeSome(to: usize, x: v128, count: i32): void {
  if (count > 0) store<f32>(to, f32x4.extract_lane(x, 0));
  if (count > 1) store<f32>(to, f32x4.extract_lane(x, 1), 4);
  if (count > 2) store<f32>(to, f32x4.extract_lane(x, 2), 8);
  if (count > 3) store<f32>(to, f32x4.extract_lane(x, 3), 12);
}
