/** Shapes that attention gives and refuses, and that packed and separate heads are the same attention. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { CpuScratch } from '../../cpu-scratch';
import type { TensorType } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource, reals } from '../../testing/case-tools';
import { separateHeads } from './heads';

const f32 = (...shape: number[]): TensorType => ({ shape, dtype: 'f32' });
const op = (name: string) => must(ALL_OPS.get(name), name);
const shapes = (types: readonly TensorType[]) => types.map((type) => type.shape);

describe('shapes', () => {
  it('are those of the queries, and one statistic per query', () => {
    const inputs = [f32(2, 3, 5, 4), f32(2, 3, 7, 4), f32(2, 3, 7, 4)];
    expect(shapes(op('attention/attention').infer(inputs, {}))).toEqual([
      [2, 3, 5, 4],
      [2, 3, 5],
    ]);
    expect(shapes(op('attention/self-attention').infer([f32(2, 5, 24)], { heads: 4 }))).toEqual([
      [2, 5, 8],
      [2, 4, 5],
    ]);
  });

  it.each([
    ['values of another length', [f32(2, 5, 4), f32(2, 7, 4), f32(2, 6, 4)], 'Expected the value of attention'],
    ['keys of another head dimension', [f32(2, 5, 4), f32(2, 7, 3), f32(2, 7, 3)], 'Expected the key of attention'],
    ['an empty batch', [f32(0, 5, 4), f32(0, 7, 4), f32(0, 7, 4)], 'empty input of size [0, 5, 4]'],
  ])('are refused: %s', (_, inputs, message) => {
    expect(() => op('attention/attention').infer(inputs, {})).toThrow(message);
  });

  it('are refused: heads that do not share the width evenly', () => {
    const packed = () => op('attention/self-attention').infer([f32(2, 5, 24)], { heads: 3 });
    expect(packed).toThrow('embed_dim must be divisible by num_heads');
  });
});

it('scales by 1 / sqrt(head dimension) unless given', () => {
  const inputs = [f32(2, 5, 16), f32(2, 5, 16), f32(2, 5, 16)];
  expect(separateHeads(inputs, {}).scale).toBe(0.25);
  expect(separateHeads(inputs, { scale: 2 }).scale).toBe(2);
});

it('one packed head gives the bits of separate queries, keys and values', () => {
  const [length, width] = [6, 3];
  const attrs = { heads: 1, causal: true };
  const qkv = Float32Array.from(reals([1, length, 3 * width], randomSource(3)).data);
  const third = (i: number) =>
    Float32Array.from({ length: length * width }, (_, k) =>
      at(qkv, Math.floor(k / width) * 3 * width + i * width + (k % width)),
    );
  const run = (name: string, inputs: readonly Float32Array[], inputTypes: readonly TensorType[]) => {
    const outputTypes = op(name).infer(inputTypes, attrs);
    const outputs = outputTypes.map((type) => new Float32Array(type.shape.reduce((a, b) => a * b)));
    op(name).cpu({ inputs, outputs, inputTypes, outputTypes, attrs, scratch: new CpuScratch() });
    return outputs.map((output) => [...output]);
  };
  const one = f32(1, 1, length, width);
  expect(run('attention/self-attention', [qkv], [f32(1, length, 3 * width)])).toEqual(
    run('attention/attention', [third(0), third(1), third(2)], [one, one, one]),
  );
});
