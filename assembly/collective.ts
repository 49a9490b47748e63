/** What collectives do with floats on their way: scaled copies, and sums over ranks. */
import { FLOAT, FLOATS, loadSome, storeSome, VECTOR } from './lanes';

/** Floats of a sum that are taken at a time, so that the sum stays in the first-level cache. */
const BLOCK: i32 = 2048;

/** y = x factor. */
export function scale(x: usize, y: usize, n: i32, factor: f32): void {
  const f = f32x4.splat(factor);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, f32x4.mul(v128.load(x), f));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, f32x4.mul(loadSome(x, n - i), f), n - i);
}

/** y = y + x factor: the product is rounded first. */
function addScaled(x: usize, y: usize, n: i32, factor: f32): void {
  const f = f32x4.splat(factor);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    v128.store(y, f32x4.add(v128.load(y), f32x4.mul(v128.load(x), f)));
    x += VECTOR;
    y += VECTOR;
  }
  storeSome(y, f32x4.add(loadSome(y, n - i), f32x4.mul(loadSome(x, n - i), f)), n - i);
}

/**
 * Floats `from` to `to` of every target: the sum over the terms, each times `factor`, times `after`. `table`: the
 * addresses of the terms, then those of the targets. A target may be one of the terms.
 */
export function fold(
  table: usize, terms: i32, targets: i32, from: i32, to: i32, factor: f32, after: f32, own: i32, scratch: usize,
): void {
  const sum = scratch + <usize>own;
  for (; from < to; from += BLOCK) {
    const n = min(BLOCK, to - from);
    const start = <usize>from * FLOAT;
    scale(<usize>load<u32>(table) + start, sum, n, factor);
    for (let t = 1; t < terms; t++) addScaled(<usize>load<u32>(table + <usize>t * 4) + start, sum, n, factor);
    if (after != 1) scale(sum, sum, n, after);
    for (let t = terms; t < terms + targets; t++)
      memory.copy(<usize>load<u32>(table + <usize>t * 4) + start, sum, <usize>n * FLOAT);
  }
}

/** Writes the sum of squares in double precision, in order. */
export function sumOfSquares(x: usize, n: i32, to: usize): void {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    const v = <f64>load<f32>(x);
    sum += v * v;
    x += FLOAT;
  }
  store<f64>(to, sum);
}
