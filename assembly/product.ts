/**
 * Matrix products: blocks of both operands are packed in the order in which the innermost loop reads them, so that any
 * layout runs alike and every block is used from cache. That loop holds a tile of 4 rows and 8 columns in eight
 * vectors; a lane is the accumulator of one element, product rounded and then sum rounded, k in order: the bits of the
 * plain loops (src/graph/gemm.ts). Larger tiles, or two k at a time, were slower: there are 16 vector registers.
 */
import { FLOAT, loadSome, plus, storeSome, transpose4, VECTOR } from './lanes';

const ROWS: i32 = 4;
const COLUMNS: i32 = 8;
/** Sizes of the blocks: the block of b takes 512 kB, a second-level cache; a panel of either fits the first level. */
const BLOCK_K: i32 = 256;
const BLOCK_N: i32 = 512;
/** Where the panels lie in the scratch memory, in bytes. */
const A_AT: usize = BLOCK_K * BLOCK_N * FLOAT;
const TILE_AT: usize = A_AT + BLOCK_K * ROWS * FLOAT;

/**
 * c (+)= a b (+ bias): a is m x k, b is k x n, c is dense with rows of `width` floats. Steps are in floats. `bias`: n
 * floats, or 0 for none. `add`: the sums go on from what c holds.
 */
export function product(
  m: i32, n: i32, k: i32,
  a: usize, am: i32, ak: i32,
  b: usize, bk: i32, bn: i32,
  c: usize, width: i32,
  bias: usize, add: bool, scratch: usize,
): void {
  const row = <usize>width * FLOAT;
  for (let n0 = 0; n0 < n; n0 += BLOCK_N) {
    const columns = min(BLOCK_N, n - n0);
    for (let k0 = 0; k0 < k; k0 += BLOCK_K) {
      const depth = min(BLOCK_K, k - k0);
      packB(scratch, b + <usize>((k0 * bk + n0 * bn) * FLOAT), bk, bn, depth, columns);
      const fresh = k0 == 0 && !add;
      const last: usize = k0 + depth == k && bias != 0 ? bias + <usize>(n0 * FLOAT) : 0;
      for (let m0 = 0; m0 < m; m0 += ROWS) {
        const rows = min(ROWS, m - m0);
        packA(scratch + A_AT, a + <usize>((m0 * am + k0 * ak) * FLOAT), am, ak, depth, rows);
        let at = c + <usize>(m0 * width + n0) * FLOAT;
        let panel = scratch;
        for (let j = 0; j < columns; j += COLUMNS) {
          const own: usize = last == 0 ? 0 : last + <usize>(j * FLOAT);
          if (rows == ROWS && j + COLUMNS <= columns) tile(scratch + A_AT, panel, at, row, depth, fresh, own);
          else edge(scratch, panel, at, row, depth, rows, min(COLUMNS, columns - j), fresh, own);
          at += COLUMNS * FLOAT;
          panel += <usize>(depth * COLUMNS * FLOAT);
        }
      }
    }
  }
}

/** A tile at the edge of c: computed whole in scratch memory, then copied as far as c goes. */
function edge(
  scratch: usize, panel: usize, c: usize, row: usize, depth: i32,
  rows: i32, columns: i32, fresh: bool, bias: usize,
): void {
  const whole = scratch + TILE_AT;
  const right = columns - 4;
  if (!fresh)
    for (let i = 0; i < rows; i++) {
      v128.store(whole + <usize>i * 32, loadSome(c + <usize>i * row, columns));
      v128.store(whole + <usize>i * 32, loadSome(c + <usize>i * row + VECTOR, right), 16);
    }
  tile(scratch + A_AT, panel, whole, 32, depth, fresh, 0);
  for (let i = 0; i < rows; i++) {
    let left = v128.load(whole + <usize>i * 32);
    let rest = v128.load(whole + <usize>i * 32, 16);
    if (bias != 0) {
      left = f32x4.add(left, loadSome(bias, columns));
      rest = f32x4.add(rest, loadSome(bias + VECTOR, right));
    }
    storeSome(c + <usize>i * row, left, columns);
    storeSome(c + <usize>i * row + VECTOR, rest, right);
  }
}

function tile(a: usize, b: usize, c: usize, row: usize, k: i32, fresh: bool, bias: usize): void {
  const zero = f32x4.splat(0);
  let s00 = zero, s01 = zero, s10 = zero, s11 = zero, s20 = zero, s21 = zero, s30 = zero, s31 = zero;
  const second = c + row;
  const third = second + row;
  const fourth = third + row;
  if (!fresh) {
    s00 = v128.load(c);
    s01 = v128.load(c, 16);
    s10 = v128.load(second);
    s11 = v128.load(second, 16);
    s20 = v128.load(third);
    s21 = v128.load(third, 16);
    s30 = v128.load(fourth);
    s31 = v128.load(fourth, 16);
  }
  do {
    const left = v128.load(b);
    const right = v128.load(b, 16);
    let x = v128.load_splat<f32>(a);
    s00 = plus(s00, x, left);
    s01 = plus(s01, x, right);
    x = v128.load_splat<f32>(a, 4);
    s10 = plus(s10, x, left);
    s11 = plus(s11, x, right);
    x = v128.load_splat<f32>(a, 8);
    s20 = plus(s20, x, left);
    s21 = plus(s21, x, right);
    x = v128.load_splat<f32>(a, 12);
    s30 = plus(s30, x, left);
    s31 = plus(s31, x, right);
    a += 16;
    b += 32;
  } while (--k);
  if (bias != 0) {
    const left = v128.load(bias);
    const right = v128.load(bias, 16);
    s00 = f32x4.add(s00, left);
    s01 = f32x4.add(s01, right);
    s10 = f32x4.add(s10, left);
    s11 = f32x4.add(s11, right);
    s20 = f32x4.add(s20, left);
    s21 = f32x4.add(s21, right);
    s30 = f32x4.add(s30, left);
    s31 = f32x4.add(s31, right);
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(second, s10);
  v128.store(second, s11, 16);
  v128.store(third, s20);
  v128.store(third, s21, 16);
  v128.store(fourth, s30);
  v128.store(fourth, s31, 16);
}

/** Panels of 8 columns, k by k; the last one is filled up with zeros. */
function packB(to: usize, b: usize, bk: i32, bn: i32, depth: i32, columns: i32): void {
  const down = <usize>bk * FLOAT;
  const right = <usize>bn * FLOAT;
  for (let j = 0; j < columns; j += COLUMNS) {
    const width = min(COLUMNS, columns - j);
    let from = b + <usize>j * right;
    let k = 0;
    if (width == COLUMNS && bn == 1) {
      for (; k < depth; k++) {
        v128.store(to, v128.load(from));
        v128.store(to, v128.load(from, 16), 16);
        to += 32;
        from += down;
      }
      continue;
    }
    if (width == COLUMNS && bk == 1)
      for (; k + 4 <= depth; k += 4) {
        transpose4(from, right, to, 32);
        transpose4(from + 4 * right, right, to + VECTOR, 32);
        to += 128;
        from += VECTOR;
      }
    for (; k < depth; k++) {
      for (let e = 0; e < COLUMNS; e++)
        store<f32>(to + <usize>e * FLOAT, e < width ? load<f32>(from + <usize>e * right) : 0);
      to += 32;
      from += down;
    }
  }
}

/** 4 rows, k by k; rows that a does not have are zeros. */
function packA(to: usize, a: usize, am: i32, ak: i32, depth: i32, rows: i32): void {
  const down = <usize>am * FLOAT;
  const right = <usize>ak * FLOAT;
  let k = 0;
  if (rows == ROWS && ak == 1)
    for (; k + 4 <= depth; k += 4) {
      transpose4(a, down, to, VECTOR);
      to += 64;
      a += VECTOR;
    }
  else if (rows == ROWS && am == 1)
    for (; k < depth; k++) {
      v128.store(to, v128.load(a));
      to += VECTOR;
      a += right;
    }
  for (; k < depth; k++) {
    for (let i = 0; i < ROWS; i++) store<f32>(to + <usize>i * FLOAT, i < rows ? load<f32>(a + <usize>i * down) : 0);
    to += VECTOR;
    a += right;
  }
}
