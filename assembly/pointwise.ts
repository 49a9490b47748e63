/** Operators that treat each element alone. Each has the bits of its loop in src/graph/ops/pointwise. */
import { expOf } from './exponential';
import { tanhOf } from './hyperbolic';
import { FLOAT, FLOATS, loadSome, storeSome, VECTOR } from './lanes';

// @ts-ignore: decorator
@inline
function reluOf(x: v128): v128 {
  return v128.andnot(x, f32x4.le(x, f32x4.splat(0)));
}

/** max(x, 0), and NaN where x is NaN. */
export function relu(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, reluOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, reluOf(loadSome(x, n - i)), n - i);
}

/** dx = dy where the result was over 0 (or NaN). */
export function reluGrad(dy: usize, y: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, v128.andnot(v128.load(dy), f32x4.le(v128.load(y), f32x4.splat(0))));
    dy += VECTOR;
    y += VECTOR;
    dx += VECTOR;
  }
  const left = n - i;
  storeSome(dx, v128.andnot(loadSome(dy, left), f32x4.le(loadSome(y, left), f32x4.splat(0))), left);
}

export function add(a: usize, b: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, f32x4.add(v128.load(a), v128.load(b)));
    a += VECTOR;
    b += VECTOR;
    y += VECTOR;
  }
  const left = n - i;
  storeSome(y, f32x4.add(loadSome(a, left), loadSome(b, left)), left);
}

export function mul(a: usize, b: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, f32x4.mul(v128.load(a), v128.load(b)));
    a += VECTOR;
    b += VECTOR;
    y += VECTOR;
  }
  const left = n - i;
  storeSome(y, f32x4.mul(loadSome(a, left), loadSome(b, left)), left);
}

export function tanh(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, tanhOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, tanhOf(loadSome(x, n - i)), n - i);
}

/** dy (1 - y^2) */
// @ts-ignore: decorator
@inline
function tanhSlope(dy: v128, y: v128): v128 {
  return f32x4.mul(dy, f32x4.sub(f32x4.splat(1), f32x4.mul(y, y)));
}

export function tanhGrad(dy: usize, y: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, tanhSlope(v128.load(dy), v128.load(y)));
    dy += VECTOR;
    y += VECTOR;
    dx += VECTOR;
  }
  storeSome(dx, tanhSlope(loadSome(dy, n - i), loadSome(y, n - i)), n - i);
}

/** 1 / (1 + e^-x) */
// @ts-ignore: decorator
@inline
function sigmoidOf(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, expOf(f32x4.neg(x))));
}

export function sigmoid(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, sigmoidOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, sigmoidOf(loadSome(x, n - i)), n - i);
}

/** dy (1 - y) y */
// @ts-ignore: decorator
@inline
function sigmoidSlope(dy: v128, y: v128): v128 {
  return f32x4.mul(f32x4.mul(dy, f32x4.sub(f32x4.splat(1), y)), y);
}

export function sigmoidGrad(dy: usize, y: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, sigmoidSlope(v128.load(dy), v128.load(y)));
    dy += VECTOR;
    y += VECTOR;
    dx += VECTOR;
  }
  storeSome(dx, sigmoidSlope(loadSome(dy, n - i), loadSome(y, n - i)), n - i);
}

/** y[c] = sum over rows of x[row][c], in order; rows lie `width` floats apart. */
export function addColumns(x: usize, y: usize, rows: i32, columns: i32, width: i32): void {
  const step = <usize>width * FLOAT;
  let c = 0;
  for (; c + 4 * FLOATS <= columns; c += 4 * FLOATS) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let at = x + <usize>c * FLOAT;
    for (let r = 0; r < rows; r++) {
      s0 = f32x4.add(s0, v128.load(at));
      s1 = f32x4.add(s1, v128.load(at, 16));
      s2 = f32x4.add(s2, v128.load(at, 32));
      s3 = f32x4.add(s3, v128.load(at, 48));
      at += step;
    }
    const to = y + <usize>c * FLOAT;
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
  }
  for (; c < columns; c += FLOATS) {
    const left = min(FLOATS, columns - c);
    let sum = f32x4.splat(0);
    let at = x + <usize>c * FLOAT;
    if (left == FLOATS)
      for (let r = 0; r < rows; r++) {
        sum = f32x4.add(sum, v128.load(at));
        at += step;
      }
    else
      for (let r = 0; r < rows; r++) {
        sum = f32x4.add(sum, loadSome(at, left));
        at += step;
      }
    storeSome(y + <usize>c * FLOAT, sum, left);
  }
}

/** True if no element is NaN or infinite. */
export function allFinite(x: usize, n: i32): bool {
  const exponent = i32x4.splat(0x7f800000);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    if (v128.any_true(i32x4.eq(v128.and(v128.load(x), exponent), exponent))) return false;
    x += VECTOR;
  }
  return !v128.any_true(i32x4.eq(v128.and(loadSome(x, n - i), exponent), exponent));
}
