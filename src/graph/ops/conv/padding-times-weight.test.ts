/**
 * Where a NaN in a weight shows, as PyTorch 1.13.1 printed it: with padding everywhere, in the gradient of the input
 * only where it is used.
 */
import { expect, test } from 'vitest';
import { at } from '../../../base/invariant';
import { CpuScratch } from '../../cpu-scratch';
import { conv1d, conv2d } from './conv2d';
import { conv2dGradInput } from './conv2d-grad-input';

const scratch = new CpuScratch();
const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
const poisoned = (length: number) => Float32Array.from({ length }, (_, i) => (i === 0 ? Number.NaN : 1));
const nans = (values: Float32Array) => [...values].map((v) => Number(Number.isNaN(v))).join('');

test('conv2d', () => {
  const inputTypes = [f32(1, 1, 4, 4), f32(1, 1, 3, 3)];
  const run = (padding: number) => {
    const attrs = { padding };
    const outputTypes = conv2d.infer(inputTypes, attrs);
    const y = new Float32Array(at(at(outputTypes, 0).shape, 2) ** 2);
    const types = { inputTypes, outputTypes, attrs };
    conv2d.cpu({ inputs: [new Float32Array(16).fill(1), poisoned(9)], outputs: [y], ...types, scratch });
    return nans(y);
  };
  expect(run(1)).toBe('1'.repeat(16));
  expect(run(0)).toBe('1111');
});

test('conv1d', () => {
  const types = { inputTypes: [f32(1, 1, 4), f32(1, 1, 3)], outputTypes: [f32(1, 1, 4)], attrs: { padding: 1 } };
  const y = new Float32Array(4);
  conv1d.cpu({ inputs: [new Float32Array(4).fill(1), poisoned(3)], outputs: [y], ...types, scratch });
  expect(nans(y)).toBe('1111');
});

test('the gradient of the input', () => {
  const attrs = { padding: 1, inputSize: [4, 4] };
  const types = { inputTypes: [f32(1, 1, 4, 4), f32(1, 1, 3, 3)], outputTypes: [f32(1, 1, 4, 4)], attrs };
  const dx = new Float32Array(16);
  conv2dGradInput.cpu({ inputs: [new Float32Array(16).fill(1), poisoned(9)], outputs: [dx], ...types, scratch });
  expect(nans(dx)).toBe('1110111011100000');
});
