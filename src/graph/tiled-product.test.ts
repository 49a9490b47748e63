/** Which kernel a product of matrices gets. */
import { expect, it } from 'vitest';
import { SOFTWARE_TUNING } from './kernel-tuning';
import { linear } from './ops/linear/linear';
import { linearGradInput } from './ops/linear/linear-grad-input';
import { linearGradParams } from './ops/linear/linear-grad-params';
import { type StridedProduct, tiledProduct } from './tiled-product';

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
const product = (m: number, n: number, k: number): StridedProduct => ({
  m,
  n,
  k,
  steps: [k, 1, n, 1],
  a: 0,
  b: 1,
  c: 2,
});

it('reads vectors along rows where it can, along k where it must', () => {
  const [x, w, b, y] = [f32(128, 784), f32(256, 784), f32(256), f32(128, 256)];
  const kernels = (launches: readonly { readonly kernel: string }[]) => launches.map(({ kernel }) => kernel);
  expect(kernels(linear.lower({ inputs: [x, w, b], outputs: [y], attrs: {} }))).toEqual(['matmul/dots']);
  expect(kernels(linearGradInput.lower({ inputs: [y, w], outputs: [x], attrs: {} }))).toEqual(['matmul/rows']);
  const params = { inputs: [x, y], outputs: [w, b], attrs: { bias: true } };
  expect(kernels(linearGradParams.lower(params))).toEqual(['matmul/rows', 'reduce/sum-vec4']);
});

it.each([
  [128, 10, 128, 'matmul/narrow'],
  [128, 130, 77, 'ops/matmul-tiled'],
  [4, 4, 4096, 'matmul/narrow'],
  [10, 8, 8, undefined],
] as const)('%i x %i over %i is %s', (m, n, k, kernel) => {
  expect(tiledProduct(product(m, n, k))?.kernel).toBe(kernel);
});

it('chooses the kernel that is cheapest on this adapter', () => {
  const tuning = { ...SOFTWARE_TUNING, matmul: { ...SOFTWARE_TUNING.matmul, 'matmul/narrow': 0.1 } };
  expect(tiledProduct(product(256, 256, 256), tuning)?.kernel).toBe('matmul/narrow');
  const plain = { ...SOFTWARE_TUNING, matmul: { ...SOFTWARE_TUNING.matmul, 'ops/matmul': 0.01 } };
  expect(tiledProduct(product(256, 256, 256), plain)).toBeUndefined();
});

it('passes no limit of WebGPU with many rows', () => {
  const launch = tiledProduct(product(5_000_000, 4, 8));
  for (const count of launch?.workgroups ?? []) expect(count).toBeLessThanOrEqual(65_535);
});
