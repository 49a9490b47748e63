/**
 * Matrix products of the CPU device in float32. Every output element is one float32 accumulator filled in k order, product rounded and then
 * sum rounded (no fused multiply-add), as the plain BLAS does that the PyTorch reference runs used. Four outputs are computed side by side, which
 * hides the latency of the rounding without changing the order. Called by the operators; `noUncheckedIndexedAccess` makes
 * the loops read through typed locals.
 */
import type { HostArray } from '../tensor/shape';

const f = Math.fround;
const get = (a: HostArray, i: number): number => a[i] as number;

/** c[m, n] = sum over k of a[m, k] * b[n, k]: the forward pass of a linear layer; bias[n] is added after the sum. */
export function gemmNT(
  a: HostArray,
  b: HostArray,
  c: HostArray,
  M: number,
  N: number,
  K: number,
  bias?: HostArray,
): void {
  for (let m = 0; m < M; m++) {
    const row = m * K;
    let n = 0;
    for (; n + 4 <= N; n += 4) {
      const b0 = n * K;
      const b1 = b0 + K;
      const b2 = b1 + K;
      const b3 = b2 + K;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let k = 0; k < K; k++) {
        const v = get(a, row + k);
        s0 = f(s0 + f(v * get(b, b0 + k)));
        s1 = f(s1 + f(v * get(b, b1 + k)));
        s2 = f(s2 + f(v * get(b, b2 + k)));
        s3 = f(s3 + f(v * get(b, b3 + k)));
      }
      const out = m * N + n;
      if (bias) {
        c[out] = s0 + get(bias, n);
        c[out + 1] = s1 + get(bias, n + 1);
        c[out + 2] = s2 + get(bias, n + 2);
        c[out + 3] = s3 + get(bias, n + 3);
      } else {
        c[out] = s0;
        c[out + 1] = s1;
        c[out + 2] = s2;
        c[out + 3] = s3;
      }
    }
    for (; n < N; n++) {
      let s = 0;
      const col = n * K;
      for (let k = 0; k < K; k++) s = f(s + f(get(a, row + k) * get(b, col + k)));
      c[m * N + n] = bias ? s + get(bias, n) : s;
    }
  }
}

/** c[m, n] = sum over k of a[m * am + k * ak] * b[k, n]: a as it stands (am = K, ak = 1) or transposed (am = 1, ak = M). */
export function gemmXN(
  a: HostArray,
  am: number,
  ak: number,
  b: HostArray,
  c: HostArray,
  M: number,
  N: number,
  K: number,
): void {
  for (let m = 0; m < M; m++) {
    const row = m * am;
    let n = 0;
    for (; n + 4 <= N; n += 4) {
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      let i = row;
      let j = n;
      for (let k = 0; k < K; k++, i += ak, j += N) {
        const v = get(a, i);
        s0 = f(s0 + f(v * get(b, j)));
        s1 = f(s1 + f(v * get(b, j + 1)));
        s2 = f(s2 + f(v * get(b, j + 2)));
        s3 = f(s3 + f(v * get(b, j + 3)));
      }
      const out = m * N + n;
      c[out] = s0;
      c[out + 1] = s1;
      c[out + 2] = s2;
      c[out + 3] = s3;
    }
    for (; n < N; n++) {
      let s = 0;
      for (let k = 0; k < K; k++) s = f(s + f(get(a, row + k * ak) * get(b, k * N + n)));
      c[m * N + n] = s;
    }
  }
}
