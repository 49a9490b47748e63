/**
 * clip_grad_norm_ and clip_grad_value_ on the CPU against torch 1.13.1, its edges, and how its kernels are laid out.
 */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { CpuScratch } from '../graph/cpu-scratch';
import { decodeF32, type StoredTensor } from '../tensor/fixtures/decode';
import { clipGradNorm } from './clip-grad-norm';
import { clipGradValue } from './clip-grad-value';
import fixtures from './fixtures/optim.json';
import { gradNorm } from './grad-norm';
import { GRADIENTS, maxDistance } from './testing/torch-cases';

const typesOf = (arrays: readonly Float32Array[]) =>
  arrays.map((array) => ({ shape: [array.length], dtype: 'f32' as const }));

const scratch = new CpuScratch();

/** Clips in place and returns the norm. */
function clip(gradients: readonly Float32Array[], maxNorm: number, normType: number | string = 2): number {
  const inputTypes = typesOf(gradients);
  const outputTypes = gradNorm.infer(inputTypes, {});
  const outputs = outputTypes.map(({ shape }) => new Float32Array(at(shape, 0)));
  gradNorm.cpu({ inputs: gradients, outputs, inputTypes, outputTypes, attrs: { normType }, scratch });
  const inputs = [at(outputs, 0), ...gradients];
  const clipTypes = typesOf(inputs);
  clipGradNorm.cpu({
    inputs,
    outputs: gradients,
    inputTypes: clipTypes,
    outputTypes: clipGradNorm.infer(clipTypes, {}),
    attrs: { maxNorm },
    scratch,
  });
  return at(at(outputs, 0), 0);
}

function clipValue(gradients: readonly Float32Array[], value: number): void {
  const types = typesOf(gradients);
  const attrs = { clipValue: value };
  clipGradValue.cpu({ inputs: gradients, outputs: gradients, inputTypes: types, outputTypes: types, attrs, scratch });
}

const CASES = fixtures.clip.filter((c) => c.norm_type !== undefined);
const VALUE_CASES = fixtures.clip.filter((c) => c.fn === 'clip_grad_value_');

test('the fixture has cases below and above the norm, of each kind of norm, and one by value', () => {
  expect(CASES.map((c) => [c.max_norm, c.norm_type])).toEqual([
    [1, 2],
    [100, 2],
    [1, 'inf'],
    [2, 1],
    [0.5, 3],
  ]);
  expect(VALUE_CASES.map((c) => c.clip_value)).toEqual([0.5]);
});

test.each(VALUE_CASES)('clip_value $clip_value', (c) => {
  const gradients = at(GRADIENTS, 0).map((g) => Float32Array.from(g));
  clipValue(gradients, c.clip_value ?? 0);
  for (const [i, stored] of (c.grads_after as StoredTensor[]).entries())
    expect(maxDistance(gradients[i], decodeF32(stored))).toBe(0);
});

test('by value a NaN stays one, infinity is clipped, zero clips to zero', () => {
  const gradients = [Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.25, -2)];
  clipValue(gradients, 0.5);
  expect([...at(gradients, 0)]).toEqual([Number.NaN, 0.5, -0.5, 0.25, -0.5]);
  clipValue(gradients, 0);
  expect([...at(gradients, 0)].map(Math.abs)).toEqual([Number.NaN, 0, 0, 0, 0]);
});

test.each(['inf', 1, 3])('norm_type %s: NaN and infinity as in torch', (type) => {
  const nan = [Float32Array.of(1, Number.NaN, 3), Float32Array.of(2)];
  expect(clip(nan, 1, type)).toBeNaN();
  expect([...at(nan, 0), ...at(nan, 1)].every(Number.isNaN)).toBe(true);
  const infinite = [Float32Array.of(1, Number.NEGATIVE_INFINITY), Float32Array.of(2)];
  expect(clip(infinite, 1, type)).toBe(Number.POSITIVE_INFINITY);
  expect(infinite.flatMap((g) => [...g])).toEqual([0, Number.NaN, 0]);
});

test.each(CASES)('max_norm $max_norm, norm_type $norm_type', (c) => {
  const gradients = at(GRADIENTS, 0).map((g) => Float32Array.from(g));
  expect(clip(gradients, c.max_norm ?? 0, c.norm_type)).toBeCloseTo(c.total_norm ?? 0, 5);
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
  expect(kernels([5, 16, 17, 1])).toEqual(['optim/power-sums', 'optim/total-norm']);
  expect(gradNorm.infer([5, 16, 17, 1].map(f32), {}).map(({ shape }) => shape)).toEqual([[1], [5], [1]]);
  expect(kernels([3_000_000])).toEqual(['optim/power-sums', 'optim/total-norm', 'optim/total-norm']);
  const types = [1, 5, 7].map(f32);
  expect(clipGradNorm.lower({ inputs: types, outputs: types.slice(1), attrs: { maxNorm: 1 } })).toMatchObject([
    { kernel: 'optim/clip-grad-norm', segments: [{ length: 5 }, { length: 7 }] },
  ]);
});
