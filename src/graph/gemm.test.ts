/** The plain products of the CPU device, against sums written out. */
import { expect, it } from 'vitest';
import { must } from '../base/invariant';
import { plainGemm } from './gemm';
import { randomSource } from './testing/case-tools';

const random = randomSource(5);
const data = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
const LAYOUTS = {
  'a b': [false, false],
  'a bT': [false, true],
  'aT b': [true, false],
  'aT bT': [true, true],
} as const;
const SIZES = [
  [1, 1, 1],
  [3, 5, 7],
  [4, 8, 16],
  [13, 17, 701],
  [9, 523, 33],
] as const;

it.each(Object.entries(LAYOUTS))('rounds every product and every sum, in the order of k: %s', (_, [ta, tb]) => {
  for (const [M, N, K] of SIZES) {
    const [a, b, c] = [data(M * K + 2), data(K * N + 3), data(M * N + 1)];
    const bias = data(N);
    const [am, ak] = ta ? [1, M] : [K, 1];
    const [bk, bn] = tb ? [1, K] : [N, 1];
    const expected = c.slice();
    for (let m = 0; m < M; m++) {
      for (let n = 0; n < N; n++) {
        let sum = must(c[1 + m * N + n], 'c');
        for (let k = 0; k < K; k++) {
          const product = Math.fround(must(a[2 + m * am + k * ak], 'a') * must(b[3 + k * bk + n * bn], 'b'));
          sum = Math.fround(sum + product);
        }
        expected[1 + m * N + n] = sum + must(bias[n], 'bias');
      }
    }
    plainGemm({
      ...{ M, N, K, add: true, bias },
      a: { data: a, offset: 2, strides: [am, ak] },
      b: { data: b, offset: 3, strides: [bk, bn] },
      c: { data: c, offset: 1 },
    });
    expect(new Uint32Array(c.buffer), `${M}x${N}x${K}`).toEqual(new Uint32Array(expected.buffer));
  }
});
