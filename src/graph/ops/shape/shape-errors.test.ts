/**
 * What the operators that move elements refuse, in the words of PyTorch 1.13, and what they do where no case of the
 * fixtures reaches.
 */
import { expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs, TensorType } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';

const f32 = (...shape: number[]): TensorType => ({ shape, dtype: 'f32' });
const i32 = (...shape: number[]): TensorType => ({ shape, dtype: 'i32' });

const REFUSED: readonly (readonly [op: string, inputs: readonly TensorType[], attrs: Attrs, message: string])[] = [
  [
    'shape/transpose',
    [f32(2, 3)],
    { dim0: 0, dim1: 2 },
    'Dimension out of range (expected to be in range of [-2, 1], but got 2)',
  ],
  ['shape/permute', [f32(2, 3)], { dims: [0, -2] }, 'permute(): duplicate dims are not allowed.'],
  ['shape/permute', [f32(2, 3)], { dims: [0] }, 'input.dim() = 2 is not equal to len(dims) = 1'],
  ['shape/reshape', [f32(2, 3)], { shape: [4, 2] }, "shape '[4, 2]' is invalid for input of size 6"],
  ['shape/reshape', [f32(2, 3)], { shape: [4, -1] }, "shape '[4, -1]' is invalid for input of size 6"],
  ['shape/reshape', [f32(2, 3)], { shape: [-1, -1] }, 'only one dimension can be inferred'],
  [
    'shape/flatten',
    [f32(2, 3)],
    { startDim: 1, endDim: 0 },
    'flatten() has invalid args: start_dim cannot come after end_dim',
  ],
  [
    'shape/cat',
    [f32(2, 3), f32(3, 2)],
    { dim: 1 },
    'Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for tensor number 1 in the list.',
  ],
  ['shape/cat', [f32(2, 3), f32(2)], { dim: 0 }, 'Tensors must have same number of dimensions: got 2 and 1'],
  [
    'shape/stack',
    [f32(2, 3), f32(3, 2)],
    { dim: 0 },
    'stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3, 2] at entry 1',
  ],
  ['shape/slice', [f32(5)], { start: [0], end: [5], step: [0] }, 'slice step cannot be zero'],
  ['shape/slice', [f32(5)], { start: [4], end: [2] }, 'is empty'],
  ['shape/chunk', [f32(5)], { chunks: 0, dim: 0 }, 'chunk expects `chunks` to be greater than 0, got: 0'],
  [
    'shape/expand',
    [f32(2, 3)],
    { size: [2, 4] },
    'The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [2, 4].  Tensor sizes: [2, 3]',
  ],
  [
    'shape/expand',
    [f32(2, 3)],
    { size: [3] },
    'the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)',
  ],
  ['shape/pad', [f32(2, 3)], { pad: [1] }, 'Padding length must be divisible by 2'],
  ['shape/pad', [f32(2)], { pad: [1, 1, 1, 1] }, 'Padding length too large'],
  [
    'shape/gather',
    [f32(2, 3), i32(2)],
    { dim: 0 },
    'Index tensor must have the same number of dimensions as input tensor',
  ],
  ['shape/index-select', [f32(2, 3), i32(2, 2)], { dim: 0 }, 'index_select(): Index is supposed to be a vector'],
  ['embedding/embedding', [i32(2), f32(3)], {}, "'weight' must be 2-D"],
  ['embedding/embedding', [i32(2), f32(3, 2)], { paddingIdx: 3 }, 'Padding_idx must be within num_embeddings'],
];

it.each(REFUSED)('%s of %j with %j', (name, inputs, attrs, message) => {
  expect(() => must(ALL_OPS.get(name), name).infer(inputs, attrs)).toThrow(message);
});

function run(name: string, inputs: readonly (readonly [Shape, HostArray])[], attrs: Attrs): number[] {
  const op = must(ALL_OPS.get(name), name);
  const inputTypes = inputs.map(
    ([shape, data]): TensorType => ({ shape, dtype: data instanceof Int32Array ? 'i32' : 'f32' }),
  );
  const outputTypes = op.infer(inputTypes, attrs);
  const outputs = outputTypes.map(
    ({ shape, dtype }) => new (dtype === 'i32' ? Int32Array : Float32Array)(elements(shape)),
  );
  op.cpu({
    inputs: inputs.map(([, data]) => data),
    outputs,
    inputTypes,
    outputTypes,
    attrs,
    scratch: new CpuScratch(),
  });
  return [...at(outputs, 0)];
}

it('names the index that is out of range, as torch does', () => {
  const x = [[2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)] as const;
  const index = (...values: number[]) => [[values.length], Int32Array.from(values)] as const;
  expect(() => run('shape/gather', [x, [[1, 3], Int32Array.of(0, 1, 2)]], { dim: 0 })).toThrow(
    'index 2 is out of bounds for dimension 0 with size 2',
  );
  expect(() => run('shape/index-select', [x, index(0, 7)], { dim: 1 })).toThrow(
    'INDICES element is out of DATA bounds, id=7 axis_dim=3',
  );
  expect(() => run('embedding/embedding', [index(0, -1), x], {})).toThrow('index out of range in self');
});

it('moves int32 as it is, with positions from the end', () => {
  const x = [[2, 3], Int32Array.of(1, -2, 3, 4, 5, 0x7fffffff)] as const;
  expect(run('shape/slice', [x], { dim: 1, start: -2 })).toEqual([-2, 3, 5, 0x7fffffff]);
  expect(run('shape/slice', [x], { dim: 0, start: -1, select: true })).toEqual([4, 5, 0x7fffffff]);
  expect(run('shape/transpose', [x], { dim0: 0, dim1: 1 })).toEqual([1, 4, -2, 5, 3, 0x7fffffff]);
  expect(run('shape/pad', [x], { pad: [0, 1], value: -7 })).toEqual([1, -2, 3, -7, 4, 5, 0x7fffffff, -7]);
});

it('lets the last of equal indices win a scatter', () => {
  const x = [[1, 3], Float32Array.of(1, 2, 3)] as const;
  const written = [x, [[1, 3], Int32Array.of(1, 1, 0)], [[1, 3], Float32Array.of(7, 8, 9)]] as const;
  expect(run('shape/scatter', written, { dim: 1 })).toEqual([9, 8, 3]);
});
