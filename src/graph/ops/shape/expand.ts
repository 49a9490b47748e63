/**
 * torch.expand: repeats dimensions of size 1 and adds leading dimensions (attr `size`; -1 keeps a size). It copies,
 * where torch makes a view. The gradient sums over the repetitions.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { formatShape, type Shape } from '../../../tensor/shape';
import { denseStrides } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { moveOp } from './moves';

function expanded(shape: Shape, attrs: Attrs): Shape {
  const size = attrs.size as readonly number[];
  const added = size.length - shape.length;
  if (added < 0) {
    const counts = `the number of sizes provided (${size.length}) must be greater or equal to the number of dimensions in the tensor (${shape.length})`;
    throw new LockstepError('shape', `expand(${formatShape(shape)}, size=${formatShape(size)}): ${counts}`);
  }
  return size.map((wanted, d) => {
    const existing = d < added ? 1 : at(shape, d - added);
    if (wanted === -1) {
      if (d >= added) return existing;
      const where = `isn't allowed in a leading, non-existing dimension ${d}`;
      throw new LockstepError('shape', `The expanded size of the tensor (-1) ${where}`);
    }
    if (wanted === existing || (existing === 1 && wanted > 0)) return wanted;
    const sizes = `The expanded size of the tensor (${wanted}) must match the existing size (${existing})`;
    const shapes = `Target sizes: ${formatShape(size)}.  Tensor sizes: ${formatShape(shape)}`;
    throw new LockstepError('shape', `${sizes} at non-singleton dimension ${d}.  ${shapes}`);
  });
}

/** Dimensions of the result along which the input is repeated. */
function repeated(shape: Shape, result: Shape): readonly number[] {
  const added = result.length - shape.length;
  return result.flatMap((size, d) => (d < added || (size > 1 && at(shape, d - added) === 1) ? [d] : []));
}

export const expand: OpDef = moveOp({
  name: 'shape/expand',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    return [{ shape: expanded(shape, attrs), dtype }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    const result = at(c.types.outputs, 0).shape;
    const dim = repeated(shape, result);
    if (dim.length === 0) return [dy];
    const added = result.length > shape.length;
    const total = c.emit('ops/sum', [dy], { dim, keepdim: true }, added ? [] : [0]);
    return added ? c.emit('shape/reshape', [at(total, 0)], { shape }, [0]) : [total[0]];
  },
  plan({ inputs, outputs }) {
    const { shape } = at(inputs, 0);
    const sizes = at(outputs, 0).shape;
    const still = denseStrides(shape);
    const added = sizes.length - shape.length;
    const dims = repeated(shape, sizes);
    const fromStrides = sizes.map((_, d) => (dims.includes(d) ? 0 : at(still, d - added)));
    return { moves: [{ input: 0, output: 0, sizes, from: 0, fromStrides, to: 0, toStrides: denseStrides(sizes) }] };
  },
});
