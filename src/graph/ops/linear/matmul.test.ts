/** Shapes of torch.matmul: refusals in PyTorch's words, and batches that amount to a single product. */
import { describe, expect, it } from 'vitest';
import type { Shape } from '../../../tensor/shape';
import { batchedProduct } from './batched-product';
import { matmul } from './matmul';

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
const types = (a: Shape, b: Shape, out: Shape) => ({ inputs: [f32(...a), f32(...b)], outputs: [f32(...out)] });

describe('shapes', () => {
  it.each<[Shape, Shape, Shape]>([
    [[4], [4], [1]],
    [[3, 4], [4], [3]],
    [[4], [2, 4, 3], [2, 3]],
    [
      [2, 1, 3, 4],
      [5, 4, 2],
      [2, 5, 3, 2],
    ],
  ])('[%s] @ [%s] is [%s]', (a, b, out) => {
    expect(matmul.infer([f32(...a), f32(...b)], {})).toEqual([f32(...out)]);
  });

  it.each<[Shape, Shape, string]>([
    [
      [3],
      [4],
      'inconsistent tensor size, expected tensor [3] and src [4] to have the same number of elements, but got 3 and 4 elements respectively',
    ],
    [[2, 3, 4], [5], 'size mismatch, got 6, 6x4,5'],
    [[3], [2, 4, 5], 'size mismatch, got 10, 10x4,3'],
    [[2, 3, 4], [5, 6], 'mat1 and mat2 shapes cannot be multiplied (6x4 and 5x6)'],
    [[3, 4], [2, 5, 6], 'mat1 and mat2 shapes cannot be multiplied (12x5 and 4x3)'],
    [
      [2, 1, 3, 4],
      [5, 5, 6],
      'Expected size for first two dimensions of batch2 tensor to be: [10, 4] but got: [10, 5].',
    ],
    [[2, 3, 4], [3, 4, 5], 'The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0'],
  ])('[%s] @ [%s] is refused as by PyTorch', (a, b, message) => {
    expect(() => matmul.infer([f32(...a), f32(...b)], {})).toThrow(message);
  });
});

describe('batches', () => {
  it('of rows and their gradients are single products', () => {
    const forward = batchedProduct([f32(2, 3, 4, 5), f32(5, 7)], {});
    expect(forward).toMatchObject({ M: 24, N: 7, K: 5, kept: [], summed: [] });
    const gradient = { transposeA: true, transposeB: false, viewA: [2, 3, 4, 5], viewB: [2, 3, 4, 7], sumTo: [5, 7] };
    const ofWeight = batchedProduct([f32(2, 3, 4, 5), f32(2, 3, 4, 7)], gradient);
    expect(ofWeight).toMatchObject({ M: 5, N: 7, K: 24, kept: [], summed: [], outShape: [5, 7] });
  });

  it('that are alike are walked with one step', () => {
    const { kept } = batchedProduct([f32(2, 3, 4, 5), f32(2, 3, 5, 7)], {});
    expect(kept).toEqual([{ size: 6, a: 20, b: 35 }]);
  });

  it('broadcast in turn beyond what the kernel walks are refused', () => {
    const [a, b, out] = [
      [2, 1, 2, 1, 1, 1],
      [1, 2, 1, 2, 1, 1],
      [2, 2, 2, 2, 1, 1],
    ];
    expect(() => matmul.lower({ ...types(a as number[], b as number[], out as number[]), attrs: {} })).toThrow(
      'matmul with 4 batch dimensions',
    );
  });
});
