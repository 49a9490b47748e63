/**
 * The matrix product of the CPU device in float32: c[m, n] (+)= sum over k of a(m, k) * b(k, n), then + bias[n].
 * Strides address both operands, so they also express transposes. Every output element is one float32 accumulator
 * filled in k order, rounded after the product and again after the sum (no fused multiply-add), like the plain BLAS of
 * the PyTorch reference runs. Two rows by four columns are computed side by side, which hides the latency of rounding
 * and saves loads without changing the order. Large products go to a kernel of WebAssembly with the same bits
 * (assembly/product.ts). Called by the operators, by way of cpu-scratch.ts; allocates nothing.
 */
import type { HostArray } from '../tensor/shape';

const f = Math.fround;

const get = (a: HostArray, i: number): number => a[i] as number;

/** A matrix in memory: element (i, j) is data[offset + i * strides[0] + j * strides[1]]. */
export interface MatrixView {
  readonly data: HostArray;
  readonly offset: number;
  readonly strides: readonly [row: number, column: number];
}

/** One product; c is dense, M rows of N. */
export interface Product {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** M x K. */
  readonly a: MatrixView;
  /** K x N. */
  readonly b: MatrixView;
  readonly c: Omit<MatrixView, 'strides'>;
  /** The sums start from the values in c. */
  readonly add: boolean;
  /** N numbers, added after the last k. */
  readonly bias?: HostArray | undefined;
}

/**
 * The loops themselves; tests compare the WebAssembly kernels with them. Long on purpose: the inner loop is repeated
 * for each shape of block (2 by 4, and the rests at the edges), so that the sums stay in registers.
 */
export function plainGemm(product: Product): void {
  const { M, N, K, add, bias } = product;
  const { data: a, offset: aStart } = product.a;
  const { data: b, offset: bStart } = product.b;
  const { data: c, offset: cStart } = product.c;
  const am = product.a.strides[0];
  const ak = product.a.strides[1];
  const bk = product.b.strides[0];
  const bn = product.b.strides[1];
  let m = 0;
  for (; m + 2 <= M; m += 2) {
    const row = cStart + m * N;
    const next = row + N;
    let n = 0;
    for (; n + 4 <= N; n += 4) {
      let s0 = add ? get(c, row + n) : 0;
      let s1 = add ? get(c, row + n + 1) : 0;
      let s2 = add ? get(c, row + n + 2) : 0;
      let s3 = add ? get(c, row + n + 3) : 0;
      let t0 = add ? get(c, next + n) : 0;
      let t1 = add ? get(c, next + n + 1) : 0;
      let t2 = add ? get(c, next + n + 2) : 0;
      let t3 = add ? get(c, next + n + 3) : 0;
      let i = aStart + m * am;
      let j = bStart + n * bn;
      for (let k = 0; k < K; k++, i += ak, j += bk) {
        const u = get(a, i);
        const v = get(a, i + am);
        const b0 = get(b, j);
        const b1 = get(b, j + bn);
        const b2 = get(b, j + 2 * bn);
        const b3 = get(b, j + 3 * bn);
        s0 = f(s0 + f(u * b0));
        s1 = f(s1 + f(u * b1));
        s2 = f(s2 + f(u * b2));
        s3 = f(s3 + f(u * b3));
        t0 = f(t0 + f(v * b0));
        t1 = f(t1 + f(v * b1));
        t2 = f(t2 + f(v * b2));
        t3 = f(t3 + f(v * b3));
      }
      const c0 = bias ? get(bias, n) : 0;
      const c1 = bias ? get(bias, n + 1) : 0;
      const c2 = bias ? get(bias, n + 2) : 0;
      const c3 = bias ? get(bias, n + 3) : 0;
      c[row + n] = s0 + c0;
      c[row + n + 1] = s1 + c1;
      c[row + n + 2] = s2 + c2;
      c[row + n + 3] = s3 + c3;
      c[next + n] = t0 + c0;
      c[next + n + 1] = t1 + c1;
      c[next + n + 2] = t2 + c2;
      c[next + n + 3] = t3 + c3;
    }
    for (; n < N; n++) {
      let s = add ? get(c, row + n) : 0;
      let t = add ? get(c, next + n) : 0;
      let i = aStart + m * am;
      let j = bStart + n * bn;
      for (let k = 0; k < K; k++, i += ak, j += bk) {
        const w = get(b, j);
        s = f(s + f(get(a, i) * w));
        t = f(t + f(get(a, i + am) * w));
      }
      const last = bias ? get(bias, n) : 0;
      c[row + n] = s + last;
      c[next + n] = t + last;
    }
  }
  if (m === M) return;
  const row = cStart + m * N;
  let n = 0;
  for (; n + 4 <= N; n += 4) {
    let s0 = add ? get(c, row + n) : 0;
    let s1 = add ? get(c, row + n + 1) : 0;
    let s2 = add ? get(c, row + n + 2) : 0;
    let s3 = add ? get(c, row + n + 3) : 0;
    let i = aStart + m * am;
    let j = bStart + n * bn;
    for (let k = 0; k < K; k++, i += ak, j += bk) {
      const u = get(a, i);
      s0 = f(s0 + f(u * get(b, j)));
      s1 = f(s1 + f(u * get(b, j + bn)));
      s2 = f(s2 + f(u * get(b, j + 2 * bn)));
      s3 = f(s3 + f(u * get(b, j + 3 * bn)));
    }
    c[row + n] = s0 + (bias ? get(bias, n) : 0);
    c[row + n + 1] = s1 + (bias ? get(bias, n + 1) : 0);
    c[row + n + 2] = s2 + (bias ? get(bias, n + 2) : 0);
    c[row + n + 3] = s3 + (bias ? get(bias, n + 3) : 0);
  }
  for (; n < N; n++) {
    const at = row + n;
    let s = add ? get(c, at) : 0;
    let i = aStart + m * am;
    let j = bStart + n * bn;
    for (let k = 0; k < K; k++, i += ak, j += bk) s = f(s + f(get(a, i) * get(b, j)));
    c[at] = s + (bias ? get(bias, n) : 0);
  }
}
