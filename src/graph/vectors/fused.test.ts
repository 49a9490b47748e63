/**
 * Kernels with fused multiply-add: as near to the exact result as those without, and rounded once where the machine
 * can. Node.js before version 22 has relaxed SIMD behind a flag, which this file sets.
 */
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { base64 } from '../../../assembly/index.ts?wasm-fused';
import { must } from '../../base/invariant';
import { randomSource } from '../testing/case-tools';
import { KERNELS, Vectors } from '.';
import { compile } from './kernels';

if (Number.parseInt(process.versions.node, 10) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
const fused = must(Vectors.open(must(compile(base64), 'relaxed SIMD'), [1 << 20]), 'memory');
const plain = must(Vectors.open(must(KERNELS, 'vectors'), [1 << 20]), 'memory');

function product(vectors: Vectors, [M, N, K]: readonly [number, number, number], random: () => number) {
  const [a, b, c] = [M * K, K * N, M * N].map((length) => vectors.array('f32', length) as Float32Array);
  const [left, right, sums] = [must(a, 'a'), must(b, 'b'), must(c, 'c')];
  for (const operand of [left, right]) for (const i of operand.keys()) operand[i] = random() * 2 - 1;
  vectors.product({
    ...{ M, N, K, add: false },
    a: { data: left, offset: 0, strides: [K, 1] },
    b: { data: right, offset: 0, strides: [N, 1] },
    c: { data: sums, offset: 0 },
  });
  return { left, right, sums };
}

it('rounds product and sum once, or reports that it does not', () => {
  const e = 2 ** -13;
  expect(plain.kernels.fuses(e)).toBe(0);
  const [a, b, c] = [0, 1, 2].map(() => fused.array('f32', 2) as Float32Array);
  const [x, y, z] = [must(a, 'x'), must(b, 'y'), must(c, 'z')];
  // x y = -1 * 1 + (1 + e)(1 - e)
  x.set([-1, 1 + e]);
  y.set([1, 1 - e]);
  fused.product({
    ...{ M: 1, N: 1, K: 2, add: false },
    a: { data: x, offset: 0, strides: [2, 1] },
    b: { data: y, offset: 0, strides: [1, 1] },
    c: { data: z, offset: 0 },
  });
  expect(z[0]).toBe(fused.kernels.fuses(e) === 1 ? -e * e : 0);
});

it.each([
  [4, 8, 16],
  [13, 17, 301],
  [5, 530, 3],
] as const)('%d x %d x %d: no further from the exact product', (M, N, K) => {
  const distance = (vectors: Vectors): number => {
    const { left, right, sums } = product(vectors, [M, N, K], randomSource(7));
    let sum = 0;
    for (let m = 0; m < M; m++)
      for (let n = 0; n < N; n++) {
        let exact = 0;
        for (let k = 0; k < K; k++) exact += (left[m * K + k] ?? 0) * (right[k * N + n] ?? 0);
        sum += Math.abs(exact - (sums[m * N + n] ?? Number.NaN));
      }
    return sum / (M * N);
  };
  expect(distance(fused)).toBeLessThanOrEqual(1.001 * distance(plain));
});
