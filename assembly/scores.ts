/**
 * The steps of attention for four queries at a time: scores, weights, and sums of rows by weights. attention.ts calls
 * them. A block of four rows of queries has `width` floats per row; four rows of scores are `scoresOf(keys)` floats
 * apart. Padding is zeros.
 */
import { expOfNegative } from './float-functions';
import { FLOAT, FLOATS, plus, transpose4, VECTOR } from './lanes';

/** Queries of a block. */
export const QUERIES: i32 = 4;
/** Keys, or elements of a row, that are computed side by side. */
const EIGHT: i32 = 8;

// @ts-ignore: decorator
@inline
export function padded(n: i32): i32 {
  return (n + EIGHT - 1) & ~(EIGHT - 1);
}

/** Floats from one row of scores to the next: whole eights, and space for a vector behind them. */
// @ts-ignore: decorator
@inline
export function scoresOf(keys: i32): i32 {
  return padded(keys) + EIGHT;
}

/** Copies n rows of d floats, each row filled up with zeros to `width`. */
export function copyRows(from: usize, row: i32, n: i32, d: i32, to: usize, width: i32): void {
  for (let j = 0; j < n; j++) {
    const source = from + <usize>(j * row) * FLOAT;
    const target = to + <usize>(j * width) * FLOAT;
    let e = 0;
    for (; e + FLOATS <= d; e += FLOATS) v128.store(target + <usize>e * FLOAT, v128.load(source + <usize>e * FLOAT));
    for (; e < d; e++) store<f32>(target + <usize>e * FLOAT, load<f32>(source + <usize>e * FLOAT));
    for (; e < width; e++) store<f32>(target + <usize>e * FLOAT, 0);
  }
}

/** Copies up to four rows as copyRows does; the others of the block become zeros. */
export function copyBlock(from: usize, row: i32, count: i32, d: i32, to: usize, width: i32): void {
  copyRows(from, row, count, d, to, width);
  memory.fill(to + <usize>(count * width) * FLOAT, 0, <usize>((QUERIES - count) * width) * FLOAT);
}

/** Transposes n rows of `width` floats, which is a multiple of 4: element e of row j at [e][j], `places` per row. */
export function turned(from: usize, n: i32, width: i32, to: usize, places: i32): void {
  const row = <usize>width * FLOAT;
  const column = <usize>places * FLOAT;
  let j = 0;
  for (; j + FLOATS <= n; j += FLOATS)
    for (let e = 0; e < width; e += FLOATS)
      transpose4(from + <usize>j * row + <usize>e * FLOAT, row, to + <usize>e * column + <usize>j * FLOAT, column);
  for (; j < places; j++)
    for (let e = 0; e < width; e++) {
      const x: f32 = j < n ? load<f32>(from + <usize>j * row + <usize>e * FLOAT) : 0;
      store<f32>(to + <usize>e * column + <usize>j * FLOAT, x);
    }
}

/** The sums over e of x[e][r] y[e][r] of the four rows r of two transposed blocks. */
export function dotsOfBlock(x: usize, y: usize, d: i32): v128 {
  let sum = f32x4.splat(0);
  for (let e = 0; e < d; e++) {
    sum = plus(sum, v128.load(x), v128.load(y));
    x += VECTOR;
    y += VECTOR;
  }
  return sum;
}

/**
 * to[r][j] = factor times the sum over e of x[e][r] y[e][j], for a transposed block x and transposed keys y; for j
 * below `reach` and some beyond.
 */
export function dots(x: usize, y: usize, places: i32, d: i32, reach: i32, factor: f32, to: usize): void {
  const step = <usize>places * FLOAT;
  const next = <usize>scoresOf(places) * FLOAT;
  const f = f32x4.splat(factor);
  for (let j = 0; j < reach; j += EIGHT) {
    let at = y + <usize>j * FLOAT;
    let own = x;
    let a0 = f32x4.splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
    for (let e = 0; e < d; e++) {
      const k0 = v128.load(at);
      const k1 = v128.load(at, 16);
      let q = v128.load_splat<f32>(own);
      a0 = plus(a0, q, k0);
      a1 = plus(a1, q, k1);
      q = v128.load_splat<f32>(own, 4);
      b0 = plus(b0, q, k0);
      b1 = plus(b1, q, k1);
      q = v128.load_splat<f32>(own, 8);
      c0 = plus(c0, q, k0);
      c1 = plus(c1, q, k1);
      q = v128.load_splat<f32>(own, 12);
      d0 = plus(d0, q, k0);
      d1 = plus(d1, q, k1);
      at += step;
      own += VECTOR;
    }
    let target = to + <usize>j * FLOAT;
    storeTwo(target, f32x4.mul(f, a0), f32x4.mul(f, a1));
    target += next;
    storeTwo(target, f32x4.mul(f, b0), f32x4.mul(f, b1));
    target += next;
    storeTwo(target, f32x4.mul(f, c0), f32x4.mul(f, c1));
    target += next;
    storeTwo(target, f32x4.mul(f, d0), f32x4.mul(f, d1));
  }
}

// @ts-ignore: decorator
@inline
function storeTwo(to: usize, a: v128, b: v128): void {
  v128.store(to, a);
  v128.store(to, b, 16);
}

/** The largest of the scores of the last call of `weigh`. */
export let largest: f32 = 0;

/** Makes scores e^(score - largest); returns their sum, and stores the largest score in `largest`. */
export function weigh(scores: usize, reach: i32): f32 {
  const end = scores + <usize>reach * FLOAT;
  let most = f32x4.splat(-Infinity);
  // These fill the last vector.
  v128.store(end, most);
  for (let at = scores; at < end; at += VECTOR) most = f32x4.pmax(most, v128.load(at));
  most = f32x4.pmax(most, v128.shuffle<i32>(most, most, 2, 3, 0, 1));
  largest = f32x4.extract_lane(f32x4.pmax(most, v128.shuffle<i32>(most, most, 1, 0, 3, 2)), 0);
  const shift = f32x4.splat(largest);
  let sums = f32x4.splat(0);
  for (let at = scores; at < end; at += VECTOR) {
    const weights = expOfNegative(f32x4.sub(v128.load(at), shift));
    v128.store(at, weights);
    sums = f32x4.add(sums, weights);
  }
  const a = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
  return a + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3));
}

/**
 * to[r][e] = sum over j of weights[r][j] rows[j][e]. Row 0 of the weights reaches `reach` keys, row r of the `count`
 * rows reaches the smaller of reach + r and `far`.
 */
export function blend(
  weights: usize, places: i32, rows: usize, reach: i32, far: i32, count: i32, width: i32, to: usize,
): void {
  const next = <usize>scoresOf(places) * FLOAT;
  const step = <usize>width * FLOAT;
  for (let e = 0; e < width; e += EIGHT) {
    let at = rows + <usize>e * FLOAT;
    let w = weights;
    let a0 = f32x4.splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
    for (let j = 0; j < reach; j++) {
      const v0 = v128.load(at);
      const v1 = v128.load(at, 16);
      let p = v128.load_splat<f32>(w);
      a0 = plus(a0, p, v0);
      a1 = plus(a1, p, v1);
      p = v128.load_splat<f32>(w + next);
      b0 = plus(b0, p, v0);
      b1 = plus(b1, p, v1);
      p = v128.load_splat<f32>(w + 2 * next);
      c0 = plus(c0, p, v0);
      c1 = plus(c1, p, v1);
      p = v128.load_splat<f32>(w + 3 * next);
      d0 = plus(d0, p, v0);
      d1 = plus(d1, p, v1);
      at += step;
      w += FLOAT;
    }
    let target = to + <usize>e * FLOAT;
    storeTwo(target, a0, a1);
    target += step;
    storeTwo(target, b0, b1);
    target += step;
    storeTwo(target, c0, c1);
    target += step;
    storeTwo(target, d0, d1);
  }
  for (let r = 1; r < count; r++)
    for (let j = reach; j < min(reach + r, far); j++) {
      const p = load<f32>(weights + <usize>r * next + <usize>j * FLOAT);
      addTo(to + <usize>r * step, p, rows + <usize>j * step, width);
    }
}

/** to[j][e] += sum over r of factors[r][j] x[r][e], row by row; the rows reach as many keys as in `blend`. */
export function gather(
  to: usize, factors: usize, places: i32, x: usize, reach: i32, far: i32, count: i32, width: i32,
): void {
  const next = <usize>scoresOf(places) * FLOAT;
  const step = <usize>width * FLOAT;
  for (let e = 0; e < width; e += EIGHT) {
    let at = to + <usize>e * FLOAT;
    let own = x + <usize>e * FLOAT;
    const a0 = v128.load(own), a1 = v128.load(own, 16);
    own += step;
    const b0 = v128.load(own), b1 = v128.load(own, 16);
    own += step;
    const c0 = v128.load(own), c1 = v128.load(own, 16);
    own += step;
    const d0 = v128.load(own), d1 = v128.load(own, 16);
    let f = factors;
    for (let j = 0; j < reach; j++) {
      let s0 = v128.load(at);
      let s1 = v128.load(at, 16);
      let p = v128.load_splat<f32>(f);
      s0 = plus(s0, p, a0);
      s1 = plus(s1, p, a1);
      p = v128.load_splat<f32>(f + next);
      s0 = plus(s0, p, b0);
      s1 = plus(s1, p, b1);
      p = v128.load_splat<f32>(f + 2 * next);
      s0 = plus(s0, p, c0);
      s1 = plus(s1, p, c1);
      p = v128.load_splat<f32>(f + 3 * next);
      s0 = plus(s0, p, d0);
      s1 = plus(s1, p, d1);
      storeTwo(at, s0, s1);
      at += step;
      f += FLOAT;
    }
  }
  for (let r = 1; r < count; r++)
    for (let j = reach; j < min(reach + r, far); j++) {
      const p = load<f32>(factors + <usize>r * next + <usize>j * FLOAT);
      addTo(to + <usize>j * step, p, x + <usize>r * step, width);
    }
}

/** to[e] += factor x[e] */
function addTo(to: usize, factor: f32, x: usize, width: i32): void {
  const f = f32x4.splat(factor);
  for (let e = 0; e < width; e += FLOATS) {
    v128.store(to, plus(v128.load(to), f, v128.load(x)));
    to += VECTOR;
    x += VECTOR;
  }
}
