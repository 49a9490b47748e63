/**
 * Steps of the optimisers on one parameter, in place. A double expression rounded once stands for torch's fused
 * multiply-add, as in src/optim.
 */
import { FLOATS, high, loadSome, low, rounded, storeSome, VECTOR } from './lanes';

/** a + factor b, rounded once. */
// @ts-ignore: decorator
@inline
function fused(a: v128, b: v128, factor: v128): v128 {
  return rounded(f64x2.add(low(a), f64x2.mul(factor, low(b))), f64x2.add(high(a), f64x2.mul(factor, high(b))));
}

/** What is stepped along: sign g + decay p. Without decay float32 does as well as double. */
// @ts-ignore: decorator
@inline
function direction(g: v128, p: v128, sign: v128, decay: v128, isPlain: bool): v128 {
  if (isPlain) return f32x4.add(f32x4.mul(rounded(sign, sign), g), f32x4.mul(f32x4.splat(0), p));
  const a = f64x2.add(f64x2.mul(sign, low(g)), f64x2.mul(decay, low(p)));
  const b = f64x2.add(f64x2.mul(sign, high(g)), f64x2.mul(decay, high(p)));
  return rounded(a, b);
}

export function sgd(p: usize, g: usize, n: i32, lr: f64, decay: f64, sign: f64): void {
  const s = f64x2.splat(sign);
  const d = f64x2.splat(decay);
  const rate = f64x2.splat(-lr);
  for (let i = 0; i < n; i += FLOATS) {
    const whole = i + FLOATS <= n;
    const value = whole ? v128.load(p) : loadSome(p, n - i);
    const slope = whole ? v128.load(g) : loadSome(g, n - i);
    const next = fused(value, direction(slope, value, s, d, decay == 0), rate);
    if (whole) v128.store(p, next);
    else storeSome(p, next, n - i);
    p += VECTOR;
    g += VECTOR;
  }
}

export function sgdMomentum(
  p: usize, g: usize, buffer: usize, n: i32,
  lr: f64, decay: f64, sign: f64, momentum: f64, bufferFactor: f64, gradientFactor: f64, nesterov: bool,
): void {
  const s = f64x2.splat(sign);
  const w = f64x2.splat(decay);
  const rate = f64x2.splat(-lr);
  const m = f64x2.splat(momentum);
  const keep = f32x4.splat(<f32>bufferFactor);
  const take = f64x2.splat(gradientFactor);
  for (let i = 0; i < n; i += FLOATS) {
    const left = n - i;
    const whole = left >= FLOATS;
    const value = whole ? v128.load(p) : loadSome(p, left);
    const d = direction(whole ? v128.load(g) : loadSome(g, left), value, s, w, decay == 0);
    const b = fused(f32x4.mul(whole ? v128.load(buffer) : loadSome(buffer, left), keep), d, take);
    const next = fused(value, nesterov ? fused(d, b, m) : b, rate);
    if (whole) {
      v128.store(buffer, b);
      v128.store(p, next);
    } else {
      storeSome(buffer, b, left);
      storeSome(p, next, left);
    }
    p += VECTOR;
    g += VECTOR;
    buffer += VECTOR;
  }
}

/**
 * Adam and AdamW; `largest` is 0 but under amsgrad. The factors are float32, so one product, quotient or root of floats
 * rounds to the same float as it does in double.
 */
export function adam(
  p: usize, g: usize, average: usize, square: usize, largest: usize, n: i32,
  shrink: f64, coupled: f64, sign: f64,
  beta1: f64, one1: f64, beta2: f64, one2: f64, stepSize: f64, root2: f64, eps: f64,
): void {
  const s = f64x2.splat(sign);
  const w = f64x2.splat(coupled);
  const toAverage = f64x2.splat(one1);
  const kept = f32x4.splat(<f32>shrink);
  const keepAverage = f32x4.splat(<f32>beta1);
  const keepSquare = f32x4.splat(<f32>beta2);
  const toSquare = f32x4.splat(<f32>one2);
  const size = f32x4.splat(<f32>stepSize);
  const root = f32x4.splat(<f32>root2);
  const least = f32x4.splat(<f32>eps);
  for (let i = 0; i < n; i += FLOATS) {
    const left = n - i;
    const whole = left >= FLOATS;
    const value = f32x4.mul(whole ? v128.load(p) : loadSome(p, left), kept);
    const d = direction(whole ? v128.load(g) : loadSome(g, left), value, s, w, coupled == 0);
    const m = fused(f32x4.mul(whole ? v128.load(average) : loadSome(average, left), keepAverage), d, toAverage);
    const own = f32x4.mul(d, toSquare);
    const before = f32x4.mul(whole ? v128.load(square) : loadSome(square, left), keepSquare);
    let v = rounded(
      f64x2.add(low(before), f64x2.mul(low(own), low(d))),
      f64x2.add(high(before), f64x2.mul(high(own), high(d))),
    );
    if (whole) {
      v128.store(average, m);
      v128.store(square, v);
    } else {
      storeSome(average, m, left);
      storeSome(square, v, left);
    }
    if (largest != 0) {
      v = f32x4.max(whole ? v128.load(largest) : loadSome(largest, left), v);
      if (whole) v128.store(largest, v);
      else storeSome(largest, v, left);
      largest += VECTOR;
    }
    const denominator = f32x4.add(f32x4.div(f32x4.sqrt(v), root), least);
    const next = f32x4.sub(value, f32x4.div(f32x4.mul(m, size), denominator));
    if (whole) v128.store(p, next);
    else storeSome(p, next, left);
    p += VECTOR;
    g += VECTOR;
    average += VECTOR;
    square += VECTOR;
  }
}
