/**
 * Sums cut into steps, on the CPU: every size gives what float64 gives, and a step never adds more than its share in
 * one chain.
 */
import { expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource } from '../../testing/case-tools';
import { sumSteps } from './sum-steps';

function run(name: string, shape: Shape, attrs: Attrs, data: Float32Array): Float32Array {
  const op = must(ALL_OPS.get(name), name);
  const inputTypes = [{ shape, dtype: 'f32' as const }];
  const outputTypes = op.infer(inputTypes, attrs);
  const outputs = outputTypes.map((type) => new Float32Array(elements(type.shape)));
  op.cpu({ inputs: [data], outputs, inputTypes, outputTypes, attrs, scratch: new CpuScratch() });
  return at(outputs, 0);
}

const data = (n: number): Float32Array => {
  const random = randomSource(n);
  return Float32Array.from({ length: n }, () => random() - 0.3);
};

it.each([1, 1023, 1024, 1025, 4099, 70_001, 300_007])('adds %i numbers to within a few roundings', (n) => {
  const x = data(n);
  const exact = x.reduce((sum, v) => sum + v, 0);
  expect(Math.abs(at(run('ops/sum', [n], {}, x), 0) - exact) / Math.abs(exact)).toBeLessThan(2e-6);
  const length = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));
  expect(Math.abs(at(run('reduce/norm', [n], {}, x), 0) - length) / length).toBeLessThan(2e-6);
});

it.each([
  [[5000, 3], { dim: 0 }],
  [[3, 5000], { dim: 1 }],
  [[2, 1500, 4], { dim: 1 }],
  [[40, 3, 60], { dim: [0, 2] }],
  [[2000, 3, 500], { dim: [0, 2], mean: true }],
] as const)('adds up %j over %j', (shape, attrs) => {
  const x = data(elements(shape));
  const y = run('ops/sum', shape, attrs, x);
  const dims: readonly number[] = typeof attrs.dim === 'number' ? [attrs.dim] : attrs.dim;
  const expected = new Float64Array(y.length);
  x.forEach((v, i) => {
    let [rest, place, size] = [i, 0, 1];
    for (let d = shape.length - 1; d >= 0; d--) {
      const n = at(shape, d);
      if (!dims.includes(d)) {
        place += (rest % n) * size;
        size *= n;
      }
      rest = Math.floor(rest / n);
    }
    expected[place] = (expected[place] ?? 0) + v;
  });
  const divisor = 'mean' in attrs ? x.length / y.length : 1;
  y.forEach((v, i) => {
    const exact = at(expected, i) / divisor;
    expect(Math.abs(v - exact) / Math.abs(exact)).toBeLessThan(2e-6);
  });
});

it('never lets one invocation add more than 1,024 numbers', () => {
  for (const n of [1, 1024, 1025, 65_537, 1 << 20, 1 << 26]) {
    const steps = sumSteps([{ outer: 1, n, inner: 1 }]);
    for (const { plane, columns } of steps) expect(Math.ceil(plane / columns)).toBeLessThanOrEqual(1024);
    expect(at(steps, steps.length - 1).columns).toBe(1);
  }
});

it('refuses dimensions in the words of torch', () => {
  const types = [{ shape: [2, 3], dtype: 'f32' as const }];
  const sum = must(ALL_OPS.get('ops/sum'), 'sum');
  expect(() => sum.infer(types, { dim: 2 })).toThrow(
    'Dimension out of range (expected to be in range of [-2, 1], but got 2)',
  );
  expect(() => sum.infer(types, { dim: [0, -2] })).toThrow('dim 0 appears multiple times in the list of dims');
  const variance = must(ALL_OPS.get('reduce/var'), 'var');
  expect(() => variance.infer([{ shape: [2, 3, 4], dtype: 'f32' }], { dim: [0, 2] })).toThrow('must be adjacent');
});
