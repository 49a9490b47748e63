/**
 * Large matrix products of the CPU device: blocks of both operands are packed into the memory of the vector kernel in
 * the order in which it reads them, so that any layout runs alike and every block is used from cache. An accumulator
 * waits in c between blocks of k. Same contract and bits as the plain loops of gemm.ts, which calls this and does the
 * small ones. Allocates nothing after it has been made.
 */
import type { HostArray } from '../tensor/shape';
import type { MatrixView, Product } from './gemm';
import { createSimdKernel, type SimdKernel, TILE_COLUMNS, TILE_ROWS } from './simd-kernel';

/** Sizes of the blocks: b's takes 640 kB, which second-level caches hold. */
const BLOCK_K = 320;
const BLOCK_N = 512;
const TILE = TILE_ROWS * TILE_COLUMNS;

/** Where the panels lie in the kernel's memory, in floats. */
const B_AT = 0;
const A_AT = BLOCK_K * BLOCK_N;
const C_AT = A_AT + BLOCK_K * TILE_ROWS;
const FLOATS = C_AT + BLOCK_N * TILE_ROWS;

export class BlockedProduct {
  readonly #kernel: SimdKernel;

  private constructor(kernel: SimdKernel) {
    this.#kernel = kernel;
  }

  /** Undefined where the vector kernel cannot be had. */
  static create(): BlockedProduct | undefined {
    const kernel = createSimdKernel(FLOATS * 4);
    return kernel && new BlockedProduct(kernel);
  }

  /** As gemm. */
  run({ M, N, K, a, b, c, add, bias }: Product): void {
    const { memory, run } = this.#kernel;
    for (let n = 0; n < N; n += BLOCK_N) {
      const columns = Math.min(BLOCK_N, N - n);
      const panels = Math.ceil(columns / TILE_COLUMNS);
      for (let k = 0; k < K; k += BLOCK_K) {
        const depth = Math.min(BLOCK_K, K - k);
        packB(memory, from(b, k, n), depth, columns);
        for (let m = 0; m < M; m += TILE_ROWS) {
          const rows = Math.min(TILE_ROWS, M - m);
          const tiles = { data: c.data, offset: c.offset + m * N + n, N, rows, columns };
          packA(memory, from(a, m, k), depth, rows);
          if (k > 0 || add) readTiles(memory, tiles);
          else memory.fill(0, C_AT, C_AT + panels * TILE);
          run(A_AT * 4, B_AT * 4, C_AT * 4, depth, panels);
          writeTiles(memory, tiles, k + depth === K ? bias : undefined, n);
        }
      }
    }
  }
}

/** The part of a matrix that begins at element (i, j). */
const from = ({ data, offset, strides }: MatrixView, i: number, j: number): MatrixView => ({
  data,
  offset: offset + i * strides[0] + j * strides[1],
  strides,
});

/** Rows and columns of c, whose rows are N long, from `offset` on. */
interface Tiles {
  readonly data: HostArray;
  readonly offset: number;
  readonly N: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Panels of 8 columns, k by k; a loop over the 8 takes twice as long as their names. What is beyond the edge is
 * computed with and thrown away.
 */
function packB(
  to: Float32Array,
  { data: b, offset: start, strides }: MatrixView,
  depth: number,
  columns: number,
): void {
  const [bk, bn] = strides;
  const whole = columns - (columns % TILE_COLUMNS);
  for (let j = 0; j < whole; j += TILE_COLUMNS) {
    let at = B_AT + j * depth;
    let from = start + j * bn;
    for (let k = 0; k < depth; k++, at += TILE_COLUMNS, from += bk) {
      to[at] = b[from] as number;
      to[at + 1] = b[from + bn] as number;
      to[at + 2] = b[from + 2 * bn] as number;
      to[at + 3] = b[from + 3 * bn] as number;
      to[at + 4] = b[from + 4 * bn] as number;
      to[at + 5] = b[from + 5 * bn] as number;
      to[at + 6] = b[from + 6 * bn] as number;
      to[at + 7] = b[from + 7 * bn] as number;
    }
  }
  for (let j = whole; j < columns; j++) {
    let at = B_AT + whole * depth + (j - whole);
    let from = start + j * bn;
    for (let k = 0; k < depth; k++, at += TILE_COLUMNS, from += bk) to[at] = b[from] as number;
  }
}

function packA(to: Float32Array, { data: a, offset: start, strides }: MatrixView, depth: number, rows: number): void {
  const am = strides[0];
  const ak = strides[1];
  if (rows === TILE_ROWS) {
    let at = A_AT;
    let from = start;
    for (let k = 0; k < depth; k++, at += TILE_ROWS, from += ak) {
      to[at] = a[from] as number;
      to[at + 1] = a[from + am] as number;
      to[at + 2] = a[from + 2 * am] as number;
      to[at + 3] = a[from + 3 * am] as number;
    }
    return;
  }
  for (let i = 0; i < rows; i++) {
    let at = A_AT + i;
    let from = start + i * am;
    for (let k = 0; k < depth; k++, at += TILE_ROWS, from += ak) to[at] = a[from] as number;
  }
}

function readTiles(to: Float32Array, { data: c, offset: out, N, rows, columns }: Tiles): void {
  for (let j = 0; j < columns; j += TILE_COLUMNS) {
    const width = Math.min(TILE_COLUMNS, columns - j);
    for (let i = 0; i < rows; i++) {
      const row = out + i * N + j;
      const at = C_AT + j * TILE_ROWS + i * TILE_COLUMNS;
      for (let e = 0; e < width; e++) to[at + e] = c[row + e] as number;
    }
  }
}

/** Into c; the bias, which follows the last k, from its element n on. */
function writeTiles(memory: Float32Array, tiles: Tiles, bias: HostArray | undefined, n: number): void {
  const { data: c, offset: out, N, rows, columns } = tiles;
  for (let j = 0; j < columns; j += TILE_COLUMNS) {
    const width = Math.min(TILE_COLUMNS, columns - j);
    for (let i = 0; i < rows; i++) {
      const row = out + i * N + j;
      const at = C_AT + j * TILE_ROWS + i * TILE_COLUMNS;
      if (bias) for (let e = 0; e < width; e++) c[row + e] = (memory[at + e] as number) + (bias[n + j + e] as number);
      else for (let e = 0; e < width; e++) c[row + e] = memory[at + e] as number;
    }
  }
}
