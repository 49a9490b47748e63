/**
 * Attention of one head, forward and backward, four queries at a time, which share what is read of keys and values:
 * memory for four rows of scores, and copies of the keys and values of the head. Every sum has the order of
 * src/graph/ops/attention/attention-cpu.ts, so the bits are its bits.
 */
import { FLOAT, FLOATS, log, VECTOR } from './lanes';
import {
  blend, copyBlock, copyRows, dots, dotsOfBlock, gather, largest, padded, QUERIES, scoresOf, turned, weigh,
} from './scores';

/** Bytes of scratch memory that either kernel takes. */
export function attentionScratch(keys: i32, d: i32): i32 {
  const rows = 5 * padded(keys) + 6 * QUERIES;
  return (rows * padded(d) + 2 * QUERIES * scoresOf(keys) + QUERIES) * <i32>FLOAT;
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
  const next = <usize>scoresOf(places) * FLOAT;
  const row = <usize>width * FLOAT;
  const values = scratch;
  const turnedKeys = values + <usize>places * row;
  const weights = turnedKeys + <usize>places * row;
  const rows = weights + QUERIES * next;
  const block = rows + QUERIES * row;
  const sums = block + QUERIES * row;
  copyRows(k, kRow, keys, d, values, width);
  turned(values, keys, width, turnedKeys, places);
  copyRows(v, vRow, keys, d, values, width);
  for (let i = 0; i < queries; i += QUERIES) {
    const count = min(QUERIES, queries - i);
    const reach = reachOf(i, keys, causal);
    const far = reachOf(i + count - 1, keys, causal);
    copyBlock(q + <usize>(i * qRow) * FLOAT, qRow, count, d, rows, width);
    turned(rows, QUERIES, width, block, QUERIES);
    dots(block, turnedKeys, places, d, far, <f32>scale, weights);
    for (let r = 0; r < count; r++) {
      const sum = weigh(weights + <usize>r * next, reachOf(i + r, keys, causal));
      store<f32>(sums + <usize>r * FLOAT, sum);
      store<f32>(lse + <usize>(i + r) * FLOAT, <f32>(<f64>largest + log(<f64>sum)));
    }
    blend(weights, places, values, reach, far, count, width, rows);
    for (let r = 0; r < count; r++)
      divided(rows + <usize>r * row, load<f32>(sums + <usize>r * FLOAT), out + <usize>((i + r) * outRow) * FLOAT, d);
  }
}

/** to = x / sum of d floats. */
function divided(x: usize, sum: f32, to: usize, d: i32): void {
  const divisor = f32x4.splat(sum);
  let e = 0;
  for (; e + FLOATS <= d; e += FLOATS) {
    v128.store(to, f32x4.div(v128.load(x), divisor));
    x += VECTOR;
    to += VECTOR;
  }
  for (; e < d; e++) {
    store<f32>(to, load<f32>(x) / sum);
    x += FLOAT;
    to += FLOAT;
  }
}

/** dq, dk and dv of one head. delta gets the row sums of dout out. The weights are normalised anew. */
export function attendBackward(
  q: usize, qRow: i32, k: usize, kRow: i32, v: usize, vRow: i32, out: usize, dout: usize, outRow: i32,
  dq: usize, dk: usize, dv: usize, delta: usize,
  queries: i32, keys: i32, d: i32, scale: f64, causal: bool, scratch: usize,
): void {
  const places = padded(keys);
  const width = padded(d);
  const next = <usize>scoresOf(places) * FLOAT;
  const row = <usize>width * FLOAT;
  const ownKeys = scratch;
  const turnedKeys = ownKeys + <usize>places * row;
  const turnedValues = turnedKeys + <usize>places * row;
  const keyGradients = turnedValues + <usize>places * row;
  const valueGradients = keyGradients + <usize>places * row;
  const weights = valueGradients + <usize>places * row;
  const slopes = weights + QUERIES * next;
  const query = slopes + QUERIES * next;
  const upstream = query + QUERIES * row;
  const rows = upstream + QUERIES * row;
  const turnedQuery = rows + QUERIES * row;
  const turnedUpstream = turnedQuery + QUERIES * row;
  const turnedOut = turnedUpstream + QUERIES * row;
  const both = turnedOut + QUERIES * row;
  copyRows(v, vRow, keys, d, ownKeys, width);
  turned(ownKeys, keys, width, turnedValues, places);
  copyRows(k, kRow, keys, d, ownKeys, width);
  turned(ownKeys, keys, width, turnedKeys, places);
  memory.fill(keyGradients, 0, 2 * <usize>places * row);
  for (let i = 0; i < queries; i += QUERIES) {
    const count = min(QUERIES, queries - i);
    const reach = reachOf(i, keys, causal);
    const far = reachOf(i + count - 1, keys, causal);
    const first = <usize>(i * outRow) * FLOAT;
    copyBlock(q + <usize>(i * qRow) * FLOAT, qRow, count, d, query, width);
    turned(query, QUERIES, width, turnedQuery, QUERIES);
    copyBlock(dout + first, outRow, count, d, upstream, width);
    turned(upstream, QUERIES, width, turnedUpstream, QUERIES);
    copyBlock(out + first, outRow, count, d, rows, width);
    turned(rows, QUERIES, width, turnedOut, QUERIES);
    v128.store(both, dotsOfBlock(turnedUpstream, turnedOut, d));
    dots(turnedQuery, turnedKeys, places, d, far, <f32>scale, weights);
    dots(turnedUpstream, turnedValues, places, d, far, 1, slopes);
    for (let r = 0; r < count; r++) {
      const own = <usize>r * next;
      const sumOfRow = load<f32>(both + <usize>r * FLOAT);
      store<f32>(delta + <usize>(i + r) * FLOAT, sumOfRow);
      const length = reachOf(i + r, keys, causal);
      slope(weights + own, slopes + own, length, weigh(weights + own, length), sumOfRow, <f32>scale);
    }
    // Queries that the last block lacks.
    memory.fill(weights + <usize>count * next, 0, <usize>(QUERIES - count) * next);
    memory.fill(slopes + <usize>count * next, 0, <usize>(QUERIES - count) * next);
    gather(keyGradients, slopes, places, query, reach, far, count, width);
    gather(valueGradients, weights, places, upstream, reach, far, count, width);
    blend(slopes, places, ownKeys, reach, far, count, width, rows);
    writeRows(rows, width, count, d, dq + <usize>(i * qRow) * FLOAT, qRow);
  }
  writeRows(keyGradients, width, keys, d, dk, kRow);
  writeRows(valueGradients, width, keys, d, dv, vRow);
}

/** Weights become weights / sum = p, and slopes p (slope - both) scale. */
function slope(weights: usize, slopes: usize, reach: i32, sum: f32, both: f32, scale: f32): void {
  const divisor = f32x4.splat(sum);
  const b = f32x4.splat(both);
  const s = f32x4.splat(scale);
  for (let j = 0; j < reach; j += FLOATS) {
    const p = f32x4.div(v128.load(weights), divisor);
    v128.store(weights, p);
    v128.store(slopes, f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(slopes), b)), s));
    weights += VECTOR;
    slopes += VECTOR;
  }
}

/** Copies the first d of `width` floats of n rows to rows that are `row` floats apart. */
function writeRows(from: usize, width: i32, n: i32, d: i32, to: usize, row: i32): void {
  for (let j = 0; j < n; j++)
    memory.copy(to + <usize>(j * row) * FLOAT, from + <usize>(j * width) * FLOAT, <usize>d * FLOAT);
}
