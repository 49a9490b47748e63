/**
 * Attention of one head, forward and backward, query by query: memory for one row of scores, and the keys and values of
 * the head as doubles. Two keys, or two elements of a row, share a vector; every sum has the order of
 * src/graph/ops/attention/attention-cpu.ts, so the bits are its bits.
 */
import { exp } from './exponential';
import { DOUBLE, FLOAT, low, plusDoubles } from './lanes';

/** Imported from JavaScript: needed once a row. */
// @ts-ignore: decorator
@external("env", "log")
declare function log(x: f64): f64;

/** Keys that are scored side by side. */
const KEYS: i32 = 8;

// @ts-ignore: decorator
@inline
function padded(n: i32): i32 {
  return (n + KEYS - 1) & ~(KEYS - 1);
}

/** Bytes of scratch memory that either kernel takes. */
export function attentionScratch(keys: i32, d: i32): i32 {
  return (4 * padded(keys) * padded(d) + 2 * padded(keys) + 4 * padded(d)) * <i32>DOUBLE;
}

/** n rows of d floats as doubles: element e of row j at [e][j], for `keys` places a row. */
function turned(from: usize, row: i32, n: i32, d: i32, to: usize, keys: i32): void {
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
function widened(from: usize, row: i32, n: i32, d: i32, to: usize, width: i32): void {
  for (let j = 0; j < n; j++) {
    const source = from + <usize>(j * row) * FLOAT;
    const target = to + <usize>(j * width) * DOUBLE;
    let e = 0;
    for (; e < d; e++) store<f64>(target + <usize>e * DOUBLE, <f64>load<f32>(source + <usize>e * FLOAT));
    for (; e < width; e++) store<f64>(target + <usize>e * DOUBLE, 0);
  }
}

/** to[j] = sum over e of x[e] y[e][j], for j below `reach` and some beyond; x are doubles. */
function dots(x: usize, y: usize, keys: i32, d: i32, reach: i32, to: usize): void {
  const step = <usize>keys * DOUBLE;
  for (let j = 0; j < reach; j += KEYS) {
    let at = y + <usize>j * DOUBLE;
    let s0 = f64x2.splat(0), s1 = f64x2.splat(0), s2 = f64x2.splat(0), s3 = f64x2.splat(0);
    for (let e = 0; e < d; e++) {
      const q = v128.load_splat<f64>(x + <usize>e * DOUBLE);
      s0 = plusDoubles(s0, q, v128.load(at));
      s1 = plusDoubles(s1, q, v128.load(at, 16));
      s2 = plusDoubles(s2, q, v128.load(at, 32));
      s3 = plusDoubles(s3, q, v128.load(at, 48));
      at += step;
    }
    const target = to + <usize>j * DOUBLE;
    v128.store(target, s0);
    v128.store(target, s1, 16);
    v128.store(target, s2, 32);
    v128.store(target, s3, 48);
  }
}

let largest: f64 = 0;

/** Makes scores e^(scale score - largest); returns their sum, and leaves the largest behind. */
function weigh(scores: usize, reach: i32, scale: f64): f64 {
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
    store<f64>(scores + <usize>even * DOUBLE, 0, DOUBLE);
  }
  const shift = f64x2.splat(largest);
  let sum: f64 = 0;
  for (let j = 0; j < reach; j += 2) {
    const w = exp(f64x2.sub(v128.load(scores + <usize>j * DOUBLE), shift));
    v128.store(scores + <usize>j * DOUBLE, w);
    sum += f64x2.extract_lane(w, 0);
    if (j + 1 < reach) sum += f64x2.extract_lane(w, 1);
  }
  return sum;
}

/** to[e] = sum over j of weights[j] rows[j][e], for whole eights of `width` doubles. */
function blend(weights: usize, rows: usize, reach: i32, width: i32, to: usize): void {
  const step = <usize>width * DOUBLE;
  for (let e = 0; e < width; e += KEYS) {
    let at = rows + <usize>e * DOUBLE;
    let s0 = f64x2.splat(0), s1 = f64x2.splat(0), s2 = f64x2.splat(0), s3 = f64x2.splat(0);
    for (let j = 0; j < reach; j++) {
      const p = v128.load_splat<f64>(weights + <usize>j * DOUBLE);
      s0 = plusDoubles(s0, p, v128.load(at));
      s1 = plusDoubles(s1, p, v128.load(at, 16));
      s2 = plusDoubles(s2, p, v128.load(at, 32));
      s3 = plusDoubles(s3, p, v128.load(at, 48));
      at += step;
    }
    const target = to + <usize>e * DOUBLE;
    v128.store(target, s0);
    v128.store(target, s1, 16);
    v128.store(target, s2, 32);
    v128.store(target, s3, 48);
  }
}

/**
 * out = softmax(scale q k^T) v of one head; row steps in floats. lse gets the log of each query's sum of exponentials.
 */
export function attend(
  q: usize, qRow: i32, k: usize, kRow: i32, v: usize, vRow: i32, out: usize, outRow: i32, lse: usize,
  queries: i32, keys: i32, d: i32, scale: f64, causal: bool, scratch: usize,
): void {
  const places = padded(keys);
  const width = padded(d);
  const turnedKeys = scratch;
  const values = turnedKeys + <usize>(places * d) * DOUBLE;
  const weights = values + <usize>(keys * width) * DOUBLE;
  const row = weights + <usize>(places + 2) * DOUBLE;
  turned(k, kRow, keys, d, turnedKeys, places);
  widened(v, vRow, keys, d, values, width);
  for (let i = 0; i < queries; i++) {
    const reach = causal ? min(i + 1, keys) : keys;
    widened(q + <usize>(i * qRow) * FLOAT, 0, 1, d, row, width);
    dots(row, turnedKeys, places, d, reach, weights);
    const sum = weigh(weights, reach, scale);
    blend(weights, values, reach, width, row);
    const target = out + <usize>(i * outRow) * FLOAT;
    for (let e = 0; e < d; e++)
      store<f32>(target + <usize>e * FLOAT, <f32>(load<f64>(row + <usize>e * DOUBLE) / sum));
    store<f32>(lse + <usize>i * FLOAT, <f32>(largest + log(sum)));
  }
}

/**
 * dq, dk and dv of one head; dk and dv gather in place and begin at 0. delta gets the row sums of dout out. The weights
 * are normalised anew.
 */
export function attendBackward(
  q: usize, qRow: i32, k: usize, kRow: i32, v: usize, vRow: i32, out: usize, dout: usize, outRow: i32,
  dq: usize, dk: usize, dv: usize, delta: usize,
  queries: i32, keys: i32, d: i32, scale: f64, causal: bool, scratch: usize,
): void {
  const places = padded(keys);
  const width = padded(d);
  const turnedKeys = scratch;
  const turnedValues = turnedKeys + <usize>(places * d) * DOUBLE;
  const ownKeys = turnedValues + <usize>(places * d) * DOUBLE;
  const weights = ownKeys + <usize>(keys * width) * DOUBLE;
  const slopes = weights + <usize>(places + 2) * DOUBLE;
  const query = slopes + <usize>(places + 2) * DOUBLE;
  const upstream = query + <usize>width * DOUBLE;
  const row = upstream + <usize>width * DOUBLE;
  turned(k, kRow, keys, d, turnedKeys, places);
  turned(v, vRow, keys, d, turnedValues, places);
  widened(k, kRow, keys, d, ownKeys, width);
  for (let i = 0; i < queries; i++) {
    const reach = causal ? min(i + 1, keys) : keys;
    const o = out + <usize>(i * outRow) * FLOAT;
    const own = dout + <usize>(i * outRow) * FLOAT;
    let both: f64 = 0;
    for (let e = 0; e < d; e++)
      both += <f64>load<f32>(own + <usize>e * FLOAT) * <f64>load<f32>(o + <usize>e * FLOAT);
    store<f32>(delta + <usize>i * FLOAT, <f32>both);
    widened(q + <usize>(i * qRow) * FLOAT, 0, 1, d, query, width);
    widened(own, 0, 1, d, upstream, width);
    dots(query, turnedKeys, places, d, reach, weights);
    const sum = weigh(weights, reach, scale);
    dots(upstream, turnedValues, places, d, reach, slopes);
    for (let j = 0; j < reach; j++) {
      const p = load<f64>(weights + <usize>j * DOUBLE) / sum;
      const ds = p * (load<f64>(slopes + <usize>j * DOUBLE) - both) * scale;
      store<f64>(slopes + <usize>j * DOUBLE, ds);
      addTo(dk + <usize>(j * kRow) * FLOAT, query, ds, d);
      addTo(dv + <usize>(j * vRow) * FLOAT, upstream, p, d);
    }
    blend(slopes, ownKeys, reach, width, row);
    const target = dq + <usize>(i * qRow) * FLOAT;
    for (let e = 0; e < d; e++) store<f32>(target + <usize>e * FLOAT, <f32>load<f64>(row + <usize>e * DOUBLE));
  }
}

/** to[e] = to[e] + factor x[e], in double, rounded once; x are doubles. */
// @ts-ignore: decorator
@inline
function addTo(to: usize, x: usize, factor: f64, d: i32): void {
  const f = f64x2.splat(factor);
  let e = 0;
  for (; e + 2 <= d; e += 2) {
    const sum = f64x2.add(low(v128.load64_zero(to)), f64x2.mul(f, v128.load(x)));
    v128.store64_lane(to, f32x4.demote_f64x2_zero(sum), 0);
    to += 2 * FLOAT;
    x += 2 * DOUBLE;
  }
  if (e < d) store<f32>(to, <f32>(<f64>load<f32>(to) + factor * load<f64>(x)));
}
