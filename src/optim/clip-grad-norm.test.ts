/** clip_grad_norm_ on the CPU against torch 1.13.1, its edges, and how its kernels are laid out. */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { decodeF32, type StoredTensor } from '../tensor/fixtures/decode';
import { clipGradNorm } from './clip-grad-norm';
import fixtures from './fixtures/optim.json';
import { gradNorm } from './grad-norm';
import { GRADIENTS, maxDistance } from './testing/torch-cases';

const typesOf = (arrays: readonly Float32Array[]) =>
  arrays.map((array) => ({ shape: [array.length], dtype: 'f32' as const }));

/** Clips in place and returns the norm. */
function clip(gradients: readonly Float32Array[], maxNorm: number): number {
  const inputTypes = typesOf(gradients);
  const outputTypes = gradNorm.infer(inputTypes, {});
  const outputs = outputTypes.map(({ shape }) => new Float32Array(at(shape, 0)));
  gradNorm.cpu({ inputs: gradients, outputs, inputTypes, outputTypes, attrs: {} });
  const inputs = [at(outputs, 0), ...gradients];
  const clipTypes = typesOf(inputs);
  clipGradNorm.cpu({
    inputs,
    outputs: gradients,
    inputTypes: clipTypes,
    outputTypes: clipGradNorm.infer(clipTypes, {}),
    attrs: { maxNorm },
  });
  return at(at(outputs, 0), 0);
}

const CASES = fixtures.clip.filter((c) => c.norm_type === 2);

test('the fixture has cases below and above the norm', () => {
  expect(CASES.map((c) => c.max_norm)).toEqual([1, 100]);
});

test.each(CASES)('max_norm $max_norm', (c) => {
  const gradients = at(GRADIENTS, 0).map((g) => Float32Array.from(g));
  expect(clip(gradients, c.max_norm ?? 0)).toBeCloseTo(c.total_norm ?? 0, 5);
  for (const [i, stored] of (c.grads_after as StoredTensor[]).entries())
    expect(maxDistance(gradients[i], decodeF32(stored))).toBeLessThanOrEqual(1e-6);
});

test('zero gradients stay zero, NaN reaches every gradient, infinity as in torch', () => {
  const zero = [Float32Array.of(0, 0)];
  expect(clip(zero, 1)).toBe(0);
  expect([...at(zero, 0)]).toEqual([0, 0]);
  const nan = [Float32Array.of(1, Number.NaN), Float32Array.of(2)];
  expect(clip(nan, 1)).toBeNaN();
  expect([...at(nan, 0), ...at(nan, 1)].every(Number.isNaN)).toBe(true);
  const infinite = [Float32Array.of(1, Number.POSITIVE_INFINITY)];
  expect(clip(infinite, 1)).toBe(Number.POSITIVE_INFINITY);
  expect([...at(infinite, 0)]).toEqual([0, Number.NaN]);
});

test('three dispatches whatever the number of parameters; more sums than a workgroup takes are added in two', () => {
  const f32 = (n: number) => ({ shape: [n], dtype: 'f32' as const });
  const kernels = (sizes: readonly number[]) => {
    const inputs = sizes.map(f32);
    const outputs = gradNorm.infer(inputs, {});
    return gradNorm.lower({ inputs, outputs, attrs: {} }).map(({ kernel }) => kernel);
  };
  expect(kernels([5, 16, 17, 1])).toEqual(['optim/square-sums', 'optim/total-norm']);
  expect(gradNorm.infer([5, 16, 17, 1].map(f32), {}).map(({ shape }) => shape)).toEqual([[1], [5], [1]]);
  expect(kernels([3_000_000])).toEqual(['optim/square-sums', 'optim/total-norm', 'optim/total-norm']);
  const types = [1, 5, 7].map(f32);
  expect(clipGradNorm.lower({ inputs: types, outputs: types.slice(1), attrs: { maxNorm: 1 } })).toMatchObject([
    { kernel: 'optim/clip-grad-norm', segments: [{ length: 5 }, { length: 7 }] },
  ]);
});
