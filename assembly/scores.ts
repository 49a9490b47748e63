/**
 * The steps of attention for two queries at a time, in double precision: scores, weights, and sums of rows by weights.
 * Two keys, or two elements of a row, share a vector. attention.ts calls them.
 */
import { exp, expUsual, NORMAL_FROM } from './exponential';
import { DOUBLE, FLOAT, FLOATS, high, low, plusDoubles } from './lanes';

/** Keys that are scored side by side. */
const KEYS: i32 = 8;

// @ts-ignore: decorator
@inline
export function padded(n: i32): i32 {
  return (n + KEYS - 1) & ~(KEYS - 1);
}

/** Doubles from one row of scores to the next: whole eights, and room for a vector that is not full. */
// @ts-ignore: decorator
@inline
export function scoresOf(keys: i32): i32 {
  return padded(keys) + KEYS;
}

/** n rows of d floats as doubles: element e of row j at [e][j], for `keys` places a row. */
export function turned(from: usize, row: i32, n: i32, d: i32, to: usize, keys: i32): void {
  for (let e = 0; e < d; e++) {
    let target = to + <usize>(e * keys) * DOUBLE;
    let source = from + <usize>e * FLOAT;
    for (let j = 0; j < n; j++) {
      store<f64>(target, <f64>load<f32>(source));
      target += DOUBLE;
      source += <usize>row * FLOAT;
    }
    for (let j = n; j < keys; j++) {
      store<f64>(target, 0);
      target += DOUBLE;
    }
  }
}

/** n rows of d floats as doubles, each row filled up with zeros to `width`. */
export function widened(from: usize, row: i32, n: i32, d: i32, to: usize, width: i32): void {
  for (let j = 0; j < n; j++) {
    const source = from + <usize>(j * row) * FLOAT;
    const target = to + <usize>(j * width) * DOUBLE;
    let e = 0;
    for (; e + FLOATS <= d; e += FLOATS) {
      const x = v128.load(source + <usize>e * FLOAT);
      v128.store(target + <usize>e * DOUBLE, low(x));
      v128.store(target + <usize>e * DOUBLE, high(x), 16);
    }
    for (; e < d; e++) store<f64>(target + <usize>e * DOUBLE, <f64>load<f32>(source + <usize>e * FLOAT));
    for (; e < width; e++) store<f64>(target + <usize>e * DOUBLE, 0);
  }
}

/**
 * to[j] = sum over e of x[e] y[e][j] for two rows x, `width` doubles apart, and two rows of scores; for j below `reach`
 * and some beyond.
 */
export function dots(x: usize, width: i32, y: usize, keys: i32, d: i32, reach: i32, to: usize): void {
  const step = <usize>keys * DOUBLE;
  const next = <usize>scoresOf(keys) * DOUBLE;
  for (let j = 0; j < reach; j += KEYS) {
    let at = y + <usize>j * DOUBLE;
    let own = x;
    let other = x + <usize>width * DOUBLE;
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (let e = 0; e < d; e++) {
      const p = v128.load_splat<f64>(own);
      const q = v128.load_splat<f64>(other);
      let k = v128.load(at);
      s0 = plusDoubles(s0, p, k);
      t0 = plusDoubles(t0, q, k);
      k = v128.load(at, 16);
      s1 = plusDoubles(s1, p, k);
      t1 = plusDoubles(t1, q, k);
      k = v128.load(at, 32);
      s2 = plusDoubles(s2, p, k);
      t2 = plusDoubles(t2, q, k);
      k = v128.load(at, 48);
      s3 = plusDoubles(s3, p, k);
      t3 = plusDoubles(t3, q, k);
      at += step;
      own += DOUBLE;
      other += DOUBLE;
    }
    storeEight(to + <usize>j * DOUBLE, s0, s1, s2, s3);
    storeEight(to + next + <usize>j * DOUBLE, t0, t1, t2, t3);
  }
}

// @ts-ignore: decorator
@inline
function storeEight(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(to, a);
  v128.store(to, b, 16);
  v128.store(to, c, 32);
  v128.store(to, d, 48);
}

/** The largest of the scores that were last weighed. */
export let largest: f64 = 0;

/** Makes scores e^(scale score - largest); returns their sum, and leaves the largest behind. */
export function weigh(scores: usize, reach: i32, scale: f64): f64 {
  const factor = f64x2.splat(scale);
  let most = f64x2.splat(-Infinity);
  const even = reach & ~1;
  for (let j = 0; j < even; j += 2) {
    const s = f64x2.mul(factor, v128.load(scores + <usize>j * DOUBLE));
    v128.store(scores + <usize>j * DOUBLE, s);
    most = f64x2.pmax(most, s);
  }
  const a = f64x2.extract_lane(most, 0);
  const b = f64x2.extract_lane(most, 1);
  largest = b > a ? b : a;
  if (even < reach) {
    const s = scale * load<f64>(scores + <usize>even * DOUBLE);
    store<f64>(scores + <usize>even * DOUBLE, s);
    if (s > largest) largest = s;
  }
  const shift = f64x2.splat(largest);
  const least = f64x2.splat(NORMAL_FROM);
  // What fills up the last four is not added.
  v128.store(scores + <usize>reach * DOUBLE, shift);
  v128.store(scores + <usize>reach * DOUBLE, shift, 16);
  let sum: f64 = 0;
  for (let j = 0; j < reach; j += 4) {
    const at = scores + <usize>j * DOUBLE;
    let u = f64x2.sub(v128.load(at), shift);
    let v = f64x2.sub(v128.load(at, 16), shift);
    // NaN fails the comparisons.
    if (i64x2.all_true(v128.and(f64x2.ge(u, least), f64x2.ge(v, least)))) {
      u = expUsual(u);
      v = expUsual(v);
    } else {
      u = exp(u);
      v = exp(v);
    }
    v128.store(at, u);
    v128.store(at, v, 16);
    sum += f64x2.extract_lane(u, 0);
    if (j + 1 < reach) sum += f64x2.extract_lane(u, 1);
    if (j + 2 < reach) sum += f64x2.extract_lane(v, 0);
    if (j + 3 < reach) sum += f64x2.extract_lane(v, 1);
  }
  return sum;
}

/**
 * to[e] = sum over j of weights[j] rows[j][e], for whole eights of `width` doubles, of two rows of weights: the first
 * one reaches `reach` keys, the second one `far`, at least as many.
 */
export function blend(weights: usize, keys: i32, rows: usize, reach: i32, far: i32, width: i32, to: usize): void {
  const step = <usize>width * DOUBLE;
  const second = weights + <usize>scoresOf(keys) * DOUBLE;
  for (let e = 0; e < width; e += KEYS) {
    let at = rows + <usize>e * DOUBLE;
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    let j = 0;
    for (; j < reach; j++) {
      const p = v128.load_splat<f64>(weights + <usize>j * DOUBLE);
      const q = v128.load_splat<f64>(second + <usize>j * DOUBLE);
      let v = v128.load(at);
      s0 = plusDoubles(s0, p, v);
      t0 = plusDoubles(t0, q, v);
      v = v128.load(at, 16);
      s1 = plusDoubles(s1, p, v);
      t1 = plusDoubles(t1, q, v);
      v = v128.load(at, 32);
      s2 = plusDoubles(s2, p, v);
      t2 = plusDoubles(t2, q, v);
      v = v128.load(at, 48);
      s3 = plusDoubles(s3, p, v);
      t3 = plusDoubles(t3, q, v);
      at += step;
    }
    for (; j < far; j++) {
      const q = v128.load_splat<f64>(second + <usize>j * DOUBLE);
      t0 = plusDoubles(t0, q, v128.load(at));
      t1 = plusDoubles(t1, q, v128.load(at, 16));
      t2 = plusDoubles(t2, q, v128.load(at, 32));
      t3 = plusDoubles(t3, q, v128.load(at, 48));
      at += step;
    }
    storeEight(to + <usize>e * DOUBLE, s0, s1, s2, s3);
    storeEight(to + step + <usize>e * DOUBLE, t0, t1, t2, t3);
  }
}
