/** Activations x g(x), with g between 0 and 1: gelu, its form with tanh, silu. The plain loops have the same bits. */
import { expOfNegative, normalCdf, sigmoid } from './float-functions';
import { FLOATS, loadSome, plus, storeSome, VECTOR } from './lanes';

const INV_SQRT_2PI: f32 = 0.3989422804014327;
const TWICE_BETA: f32 = 1.5957691216057308;
const KAPPA: f32 = 0.044715;
const KAPPA_3: f32 = 0.134145;

// @ts-ignore: decorator
@inline
function four(x: f32): v128 {
  return f32x4.splat(x);
}

// @ts-ignore: decorator
@inline
function geluOf(x: v128): v128 {
  return f32x4.mul(x, normalCdf(x));
}

/** x Phi(x) */
export function gelu(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, geluOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, geluOf(loadSome(x, n - i)), n - i);
}

// @ts-ignore: decorator
@inline
function geluSlope(dy: v128, x: v128): v128 {
  const bell = f32x4.mul(expOfNegative(f32x4.mul(four(-0.5), f32x4.mul(x, x))), four(INV_SQRT_2PI));
  return f32x4.mul(dy, plus(normalCdf(x), x, bell));
}

export function geluGrad(dy: usize, x: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, geluSlope(v128.load(dy), v128.load(x)));
    dy += VECTOR;
    x += VECTOR;
    dx += VECTOR;
  }
  storeSome(dx, geluSlope(loadSome(dy, n - i), loadSome(x, n - i)), n - i);
}

/** (1 + tanh(u)) / 2 = 1 / (1 + e^-2u), with u = beta (x + kappa x^3) */
// @ts-ignore: decorator
@inline
function tanhGate(x: v128, square: v128): v128 {
  const cube = f32x4.mul(square, x);
  return sigmoid(f32x4.mul(four(TWICE_BETA), plus(x, four(KAPPA), cube)));
}

// @ts-ignore: decorator
@inline
function geluTanhOf(x: v128): v128 {
  return f32x4.mul(x, tanhGate(x, f32x4.mul(x, x)));
}

export function geluTanh(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, geluTanhOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, geluTanhOf(loadSome(x, n - i)), n - i);
}

// @ts-ignore: decorator
@inline
function geluTanhSlope(dy: v128, x: v128): v128 {
  const square = f32x4.mul(x, x);
  const s = tanhGate(x, square);
  const inner = f32x4.mul(four(TWICE_BETA), plus(four(1), four(KAPPA_3), square));
  const bend = f32x4.mul(x, f32x4.mul(s, f32x4.sub(four(1), s)));
  return f32x4.mul(dy, plus(s, bend, inner));
}

export function geluTanhGrad(dy: usize, x: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, geluTanhSlope(v128.load(dy), v128.load(x)));
    dy += VECTOR;
    x += VECTOR;
    dx += VECTOR;
  }
  storeSome(dx, geluTanhSlope(loadSome(dy, n - i), loadSome(x, n - i)), n - i);
}

// @ts-ignore: decorator
@inline
function siluOf(x: v128): v128 {
  return f32x4.mul(x, sigmoid(x));
}

export function silu(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, siluOf(v128.load(x)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, siluOf(loadSome(x, n - i)), n - i);
}

// @ts-ignore: decorator
@inline
function siluSlope(dy: v128, x: v128): v128 {
  const s = sigmoid(x);
  return f32x4.mul(f32x4.mul(dy, s), plus(four(1), x, f32x4.sub(four(1), s)));
}

export function siluGrad(dy: usize, x: usize, dx: usize, n: i32): void {
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(dx, siluSlope(v128.load(dy), v128.load(x)));
    dy += VECTOR;
    x += VECTOR;
    dx += VECTOR;
  }
  storeSome(dx, siluSlope(loadSome(dy, n - i), loadSome(x, n - i)), n - i);
}
