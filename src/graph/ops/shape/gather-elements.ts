/**
 * Elements picked along attr `dim` by an int32 tensor of indices, as torch.gather(x, dim, index): y[o, j, i] = x[o,
 * index[o, j, i], i]. The index has x's sizes in all other dimensions (torch allows smaller ones). The gradient adds dy
 * at the same places, in order of j. An index out of range throws on the CPU and gives NaN on the GPU.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import { dimOf, extentAlong } from '../../dims';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';

/** View of x along `dim`, and the number of indices per line. */
export function linesOf(x: Shape, index: Shape, attrs: Attrs) {
  const dim = dimOf(attrs, x.length);
  return { ...extentAlong(x, dim), dim, picks: at(index, dim) };
}

/**
 * Checks that the index has x's sizes in all dimensions but `dim`; if PyTorch would refuse too, throws in its words.
 */
export function checkIndex(x: Shape, index: Shape, attrs: Attrs, op: string): void {
  if (x.length !== index.length)
    throw new LockstepError('shape', 'Index tensor must have the same number of dimensions as input tensor');
  const dim = dimOf(attrs, x.length);
  if (index.every((size, d) => d === dim || size === x[d])) return;
  const shapes = `index ${formatShape(index)} and self ${formatShape(x)} apart from dimension ${dim}`;
  throw new LockstepError(
    'shape',
    `${op}: sizes must match: ${shapes}`,
    'Slice the tensor to the sizes of the index first.',
  );
}

export function outOfBounds(index: number, dim: number, size: number): LockstepError {
  return new LockstepError('shape', `index ${index} is out of bounds for dimension ${dim} with size ${size}`);
}

export const gather: OpDef = {
  name: 'shape/gather',
  infer(inputs, attrs) {
    const [x, index] = [at(inputs, 0), at(inputs, 1)];
    checkIndex(x.shape, index.shape, attrs, 'gather()');
    return [{ shape: index.shape, dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    return c.emit('shape/gather-grad', [dy, c.input(1)], { shape, dim: dimOf(c.types.attrs, shape.length) }, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [x, index, y] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    const { n, inner, dim, picks } = linesOf(at(inputTypes, 0).shape, at(inputTypes, 1).shape, attrs);
    for (let i = 0; i < y.length; i++) {
      const k = index[i] as number;
      if (!(k >= 0 && k < n)) throw outOfBounds(k, dim, n);
      y[i] = x[(Math.floor(i / (picks * inner)) * n + k) * inner + (i % inner)] as number;
    }
  },
  lower(types) {
    const { n, inner, picks } = linesOf(at(types.inputs, 0).shape, at(types.inputs, 1).shape, types.attrs);
    const count = elements(at(types.outputs, 0).shape);
    return [dense('shape/gather', types, [count, n, inner, picks], grid(count))];
  },
  flops: () => 0,
};
