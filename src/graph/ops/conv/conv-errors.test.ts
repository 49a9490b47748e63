/** What convolutions and pooling refuse, in PyTorch 1.13's words (obtained by running it). */
import { expect, it } from 'vitest';
import { must } from '../../../base/invariant';
import type { Shape } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs, OpDef } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';

const infer = (op: string, shapes: readonly Shape[], attrs: Attrs = {}) => {
  const def: OpDef = must(ALL_OPS.get(`conv/${op}`), op);
  return def.infer(
    shapes.map((shape) => ({ shape, dtype: 'f32' })),
    attrs,
  );
};

const image = [2, 3, 6, 6];
const weight = [4, 3, 3, 3];

it.each<[string, readonly Shape[], Attrs, string]>([
  [
    'conv2d',
    [[2, 5, 6, 6], weight],
    {},
    'Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 5, 6, 6] to have 3 channels, but got 5 channels instead',
  ],
  [
    'conv2d',
    [[2, 3, 2, 2], weight],
    {},
    "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be greater than actual input size",
  ],
  [
    'conv2d',
    [[2, 3, 2, 2], weight],
    { dilation: 2 },
    "Calculated padded input size per channel: (2 x 2). Kernel size: (5 x 5). Kernel size can't be greater than actual input size",
  ],
  [
    'conv2d',
    [image, weight, [3]],
    {},
    'Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 elements, but got bias of size [3] instead',
  ],
  ['conv2d', [image, weight], { stride: 0 }, 'non-positive stride is not supported'],
  ['conv2d', [image, weight], { padding: -1 }, 'negative padding is not supported'],
  ['conv2d', [image, weight], { dilation: 0 }, 'non-positive dilation is not supported'],
  ['conv2d', [image, weight], { groups: 0 }, 'non-positive groups is not supported'],
  [
    'conv2d',
    [
      [2, 4, 6, 6],
      [3, 2, 3, 3],
    ],
    { groups: 2 },
    'Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size [[3, 2, 3, 3]] instead',
  ],
  [
    'conv2d',
    [
      [2, 4, 6, 6],
      [1, 2, 3, 3],
    ],
    { groups: 2 },
    'Given groups=2, expected weight to be at least 2 at dimension 0, but got weight of size [1, 2, 3, 3] instead',
  ],
  [
    'conv2d',
    [[4, 6], weight],
    {},
    'Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [4, 6]',
  ],
  [
    'conv2d',
    [image, weight],
    { stride: 2, padding: 'same' },
    "padding='same' is not supported for strided convolutions",
  ],
  ['conv2d', [[0, 3, 6, 6], weight], {}, 'conv2d: the input is empty, its size is [0, 3, 6, 6]'],
  [
    'conv1d',
    [
      [1, 4, 6, 2],
      [4, 4, 3],
    ],
    {},
    'Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [1, 4, 6, 2]',
  ],
  [
    'conv1d',
    [
      [2, 3, 2],
      [4, 3, 3],
    ],
    {},
    "Calculated padded input size per channel: (2). Kernel size: (3). Kernel size can't be greater than actual input size",
  ],
  [
    'conv-transpose2d',
    [
      [2, 3, 4, 4],
      [4, 2, 3, 3],
    ],
    {},
    'Given transposed=1, weight of size [4, 2, 3, 3], expected input[2, 3, 4, 4] to have 4 channels, but got 3 channels instead',
  ],
  [
    'conv-transpose2d',
    [[2, 3, 4, 4], [3, 2, 3, 3], [3]],
    {},
    'Given transposed=1, weight of size [3, 2, 3, 3], expected bias to be 1-dimensional with 2 elements, but got bias of size [3] instead',
  ],
  [
    'conv-transpose2d',
    [
      [2, 3, 4, 4],
      [3, 2, 3, 3],
    ],
    { stride: 2, outputPadding: 2 },
    'output padding must be smaller than either stride or dilation, but got output_padding_height: 2 output_padding_width: 2 stride_height: 2 stride_width: 2 dilation_height: 1 dilation_width: 1',
  ],
  [
    'conv-transpose2d',
    [
      [2, 3, 1, 1],
      [3, 2, 1, 1],
    ],
    { padding: 1 },
    'Given input size per channel: (1 x 1). Calculated output size per channel: (-1 x -1). Output size is too small',
  ],
  [
    'max-pool2d',
    [[2, 3, 4, 4]],
    { kernelSize: 2, padding: 2 },
    'pad should be at most half of kernel size, but got pad=2 and kernel_size=2',
  ],
  [
    'max-pool2d',
    [[2, 3, 2, 2]],
    { kernelSize: 3 },
    'Given input size: (3x2x2). Calculated output size: (3x0x0). Output size is too small',
  ],
  ['max-pool2d', [[2, 3]], { kernelSize: 3 }, 'non-empty 3D or 4D (batch mode) tensor expected for input'],
  ['max-pool2d', [[2, 3, 4, 4]], { kernelSize: 2, stride: 0 }, 'stride should not be zero'],
  [
    'adaptive-avg-pool2d',
    [[2, 3]],
    { outputSize: 3 },
    'adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [2, 3]',
  ],
])('%s of %j with %j', (op, shapes, attrs, message) => {
  expect(() => infer(op, shapes, attrs)).toThrow(message);
});

it('accepts what torch accepts: no batch, an even kernel with padding same, windows past the edge', () => {
  expect(infer('conv2d', [[3, 6, 6], weight])[0]?.shape).toEqual([4, 4, 4]);
  expect(infer('conv2d', [image, [4, 3, 2, 2]], { padding: 'same' })[0]?.shape).toEqual([2, 4, 6, 6]);
  expect(infer('max-pool2d', [[3, 5, 5]], { kernelSize: 2, ceilMode: true })[0]?.shape).toEqual([3, 3, 3]);
});

it('gives the maximum to a NaN, to the first of equals, and to the first element where all are -Infinity', () => {
  const pool: OpDef = must(ALL_OPS.get('conv/max-pool2d'), 'max-pool2d');
  const indexOf = (...x: number[]): number | undefined => {
    const inputTypes = [{ shape: [1, 1, 1, x.length], dtype: 'f32' }] as const;
    const attrs = { kernelSize: [1, x.length] };
    const index = new Int32Array(1);
    const outputs = [new Float32Array(1), index];
    pool.cpu({
      inputs: [Float32Array.from(x)],
      outputs,
      inputTypes,
      outputTypes: pool.infer(inputTypes, attrs),
      attrs,
      scratch: new CpuScratch(),
    });
    return index[0];
  };
  expect(indexOf(Number.NaN, 1, Number.NaN, 2)).toBe(2);
  expect(indexOf(1, 3, 3, 2)).toBe(1);
  expect(indexOf(-Infinity, -Infinity)).toBe(0);
});
