/** `.grad += fresh`: in place, in float32, one dispatch, refused where shapes differ. */
import { expect, test } from 'vitest';
import { CpuScratch } from '../graph/cpu-scratch';
import { accumulateGrad } from './accumulate-grad';

const type = (...shape: number[]) => ({ shape, dtype: 'f32' as const });

test('adds every fresh gradient to its accumulated one, in float32', () => {
  const [a, b] = [Float32Array.of(1, 0.1), Float32Array.of(16_777_216)];
  const fresh = [Float32Array.of(2, 0.2), Float32Array.of(1)];
  const types = [type(2), type(1), type(2), type(1)];
  accumulateGrad.cpu({
    inputs: [...fresh, a, b],
    outputs: [a, b],
    inputTypes: types,
    outputTypes: accumulateGrad.infer(types, { count: 2 }),
    attrs: { count: 2 },
    scratch: new CpuScratch(),
  });
  expect([...a, ...b]).toEqual([3, Math.fround(Math.fround(0.1) + Math.fround(0.2)), 16_777_216]);
});

test('lowers to one dispatch that adds, one segment per parameter', () => {
  const inputs = [type(4, 2), type(3), type(4, 2), type(3)];
  const outputs = accumulateGrad.infer(inputs, { count: 2 });
  expect(outputs).toEqual([type(4, 2), type(3)]);
  expect(accumulateGrad.lower({ inputs, outputs, attrs: { count: 2 } })).toEqual([
    {
      kind: 'segmented',
      kernel: 'comm/transfer',
      constants: { JOIN: 1 },
      params: [],
      segments: [
        {
          at: [
            { operand: 0, offset: 0 },
            { operand: 4, offset: 0 },
          ],
          length: 8,
        },
        {
          at: [
            { operand: 1, offset: 0 },
            { operand: 5, offset: 0 },
          ],
          length: 3,
        },
      ],
    },
  ]);
});

test('refuses gradients of another shape or number', () => {
  expect(() => accumulateGrad.infer([type(2), type(3)], { count: 1 })).toThrow('[2] onto [3]');
  expect(() => accumulateGrad.infer([type(2)], { count: 1 })).toThrow('1 operands for 1 gradients, expected 2');
});
