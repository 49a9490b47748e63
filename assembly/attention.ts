/**
 * Attention of one head, forward and backward, two queries at a time, which share what is read of keys and values:
 * memory for two rows of scores, and the keys and values of the head as doubles. Every sum has the order of
 * src/graph/ops/attention/attention-cpu.ts, so the bits are its bits.
 */
import { DOUBLE, FLOAT, FLOATS, high, log, low, rounded, VECTOR } from './lanes';
import { blend, dots, largest, padded, scoresOf, turned, weigh, widened } from './scores';

/** Bytes of scratch memory that either kernel takes. */
export function attentionScratch(keys: i32, d: i32): i32 {
  return (4 * padded(keys) * padded(d) + 4 * scoresOf(keys) + 6 * padded(d)) * <i32>DOUBLE;
}

// @ts-ignore: decorator
@inline
function reachOf(i: i32, keys: i32, causal: bool): i32 {
  return causal ? min(i + 1, keys) : keys;
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
  const other = weights + <usize>scoresOf(places) * DOUBLE;
  const rows = other + <usize>scoresOf(places) * DOUBLE;
  turned(k, kRow, keys, d, turnedKeys, places);
  widened(v, vRow, keys, d, values, width);
  for (let i = 0; i < queries; i += 2) {
    // Without a second query the first one is computed twice.
    const count = min(2, queries - i);
    const reach = reachOf(i, keys, causal);
    const far = reachOf(i + count - 1, keys, causal);
    widened(q + <usize>(i * qRow) * FLOAT, (count - 1) * qRow, 2, d, rows, width);
    dots(rows, width, turnedKeys, places, d, far, weights);
    const sum = weigh(weights, reach, scale);
    store<f32>(lse + <usize>i * FLOAT, <f32>(largest + log(sum)));
    const farSum = weigh(other, far, scale);
    if (count == 2) store<f32>(lse + <usize>(i + 1) * FLOAT, <f32>(largest + log(farSum)));
    blend(weights, places, values, reach, far, width, rows);
    const target = out + <usize>(i * outRow) * FLOAT;
    divided(rows, sum, target, d);
    if (count == 2) divided(rows + <usize>width * DOUBLE, farSum, target + <usize>outRow * FLOAT, d);
  }
}

/** to = x / sum of d doubles, rounded. */
function divided(x: usize, sum: f64, to: usize, d: i32): void {
  const divisor = f64x2.splat(sum);
  let e = 0;
  for (; e + FLOATS <= d; e += FLOATS) {
    const first = f64x2.div(v128.load(x), divisor);
    v128.store(to, rounded(first, f64x2.div(v128.load(x, 16), divisor)));
    x += 2 * VECTOR;
    to += VECTOR;
  }
  for (; e < d; e++) {
    store<f32>(to, <f32>(load<f64>(x) / sum));
    x += DOUBLE;
    to += FLOAT;
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
  const toOther = <usize>scoresOf(places) * DOUBLE;
  const turnedKeys = scratch;
  const turnedValues = turnedKeys + <usize>(places * d) * DOUBLE;
  const ownKeys = turnedValues + <usize>(places * d) * DOUBLE;
  const weights = ownKeys + <usize>(keys * width) * DOUBLE;
  const slopes = weights + 2 * toOther;
  const query = slopes + 2 * toOther;
  const upstream = query + 2 * <usize>width * DOUBLE;
  const rows = upstream + 2 * <usize>width * DOUBLE;
  turned(k, kRow, keys, d, turnedKeys, places);
  turned(v, vRow, keys, d, turnedValues, places);
  widened(k, kRow, keys, d, ownKeys, width);
  for (let i = 0; i < queries; i += 2) {
    const count = min(2, queries - i);
    const reach = reachOf(i, keys, causal);
    const far = reachOf(i + count - 1, keys, causal);
    const o = out + <usize>(i * outRow) * FLOAT;
    const own = dout + <usize>(i * outRow) * FLOAT;
    widened(q + <usize>(i * qRow) * FLOAT, (count - 1) * qRow, 2, d, query, width);
    widened(own, (count - 1) * outRow, 2, d, upstream, width);
    dots(query, width, turnedKeys, places, d, far, weights);
    dots(upstream, width, turnedValues, places, d, far, slopes);
    const both = dotOf(own, o, d);
    store<f32>(delta + <usize>i * FLOAT, <f32>both);
    slope(weights, slopes, reach, weigh(weights, reach, scale), both, scale);
    if (count == 2) {
      const next = <usize>outRow * FLOAT;
      const alsoBoth = dotOf(own + next, o + next, d);
      store<f32>(delta + <usize>(i + 1) * FLOAT, <f32>alsoBoth);
      const other = weights + toOther;
      slope(other, slopes + toOther, far, weigh(other, far, scale), alsoBoth, scale);
      for (let j = 0; j < reach; j++) {
        const at = <usize>j * DOUBLE;
        const gradient = <usize>j * FLOAT;
        addBoth(dk + gradient * <usize>kRow, query, width, slopes + at, toOther, d);
        addBoth(dv + gradient * <usize>vRow, upstream, width, weights + at, toOther, d);
      }
      for (let j = reach; j < far; j++) {
        const at = <usize>j * DOUBLE;
        const row = <usize>width * DOUBLE;
        addTo(dk + <usize>(j * kRow) * FLOAT, query + row, load<f64>(slopes + toOther + at), d);
        addTo(dv + <usize>(j * vRow) * FLOAT, upstream + row, load<f64>(other + at), d);
      }
    } else {
      for (let j = 0; j < reach; j++) {
        const at = <usize>j * DOUBLE;
        addTo(dk + <usize>(j * kRow) * FLOAT, query, load<f64>(slopes + at), d);
        addTo(dv + <usize>(j * vRow) * FLOAT, upstream, load<f64>(weights + at), d);
      }
    }
    blend(slopes, places, ownKeys, reach, far, width, rows);
    const target = dq + <usize>(i * qRow) * FLOAT;
    divided(rows, 1, target, d);
    if (count == 2) divided(rows + <usize>width * DOUBLE, 1, target + <usize>qRow * FLOAT, d);
  }
}

function dotOf(x: usize, y: usize, d: i32): f64 {
  let sum: f64 = 0;
  for (let e = 0; e < d; e++) sum += <f64>load<f32>(x + <usize>e * FLOAT) * <f64>load<f32>(y + <usize>e * FLOAT);
  return sum;
}

/** Weights become weights / sum = p, and slopes p (slope - both) scale. */
function slope(weights: usize, slopes: usize, reach: i32, sum: f64, both: f64, scale: f64): void {
  const divisor = f64x2.splat(sum);
  const b = f64x2.splat(both);
  const s = f64x2.splat(scale);
  for (let j = 0; j < reach; j += 2) {
    const p = f64x2.div(v128.load(weights), divisor);
    v128.store(weights, p);
    v128.store(slopes, f64x2.mul(f64x2.mul(p, f64x2.sub(v128.load(slopes), b)), s));
    weights += VECTOR;
    slopes += VECTOR;
  }
}

/** to[e] = to[e] + factor x[e], in double, rounded once; x are doubles. */
// @ts-ignore: decorator
@inline
function addTo(to: usize, x: usize, factor: f64, d: i32): void {
  for (let e = 0; e < d; e++) {
    store<f32>(to, <f32>(<f64>load<f32>(to) + factor * load<f64>(x)));
    to += FLOAT;
    x += DOUBLE;
  }
}

/** As addTo, for two rows x, `width` doubles apart, one after the other; their factors are `apart` bytes apart. */
// @ts-ignore: decorator
@inline
function addBoth(to: usize, x: usize, width: i32, factors: usize, apart: usize, d: i32): void {
  const f = v128.load_splat<f64>(factors);
  const g = v128.load_splat<f64>(factors + apart);
  let y = x + <usize>width * DOUBLE;
  let e = 0;
  for (; e + FLOATS <= d; e += FLOATS) {
    const t = v128.load(to);
    const a = once(f64x2.add(low(t), f64x2.mul(f, v128.load(x))));
    const b = once(f64x2.add(high(t), f64x2.mul(f, v128.load(x, 16))));
    v128.store(
      to,
      rounded(f64x2.add(a, f64x2.mul(g, v128.load(y))), f64x2.add(b, f64x2.mul(g, v128.load(y, 16)))),
    );
    to += VECTOR;
    x += 2 * VECTOR;
    y += 2 * VECTOR;
  }
  for (; e < d; e++) {
    const first = <f32>(<f64>load<f32>(to) + load<f64>(factors) * load<f64>(x));
    store<f32>(to, <f32>(<f64>first + load<f64>(factors + apart) * load<f64>(y)));
    to += FLOAT;
    x += DOUBLE;
    y += DOUBLE;
  }
}

/** Two doubles, rounded to floats. */
// @ts-ignore: decorator
@inline
function once(x: v128): v128 {
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(x));
}
