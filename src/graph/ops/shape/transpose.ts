/**
 * Reorders dimensions: torch.transpose (attrs `dim0`, `dim1`) and torch.permute (attr `dims`). It copies, because
 * tensors here are dense.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { Shape } from '../../../tensor/shape';
import { denseStrides, wrapDim } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { type MoveOp, moveOp } from './moves';

/** order[d]: the dimension of the input that becomes dimension d. */
function reordered(order: (shape: Shape, attrs: Attrs) => readonly number[]): Pick<MoveOp, 'infer' | 'plan'> {
  return {
    infer(inputs, attrs) {
      const { shape, dtype } = at(inputs, 0);
      return [{ shape: order(shape, attrs).map((d) => at(shape, d)), dtype }];
    },
    plan({ inputs, outputs, attrs }) {
      const { shape } = at(inputs, 0);
      const strides = denseStrides(shape);
      const sizes = at(outputs, 0).shape;
      const fromStrides = order(shape, attrs).map((d) => at(strides, d));
      return { moves: [{ input: 0, output: 0, sizes, from: 0, fromStrides, to: 0, toStrides: denseStrides(sizes) }] };
    },
  };
}

export const transpose: OpDef = moveOp({
  name: 'shape/transpose',
  ...reordered((shape, attrs) => {
    const a = wrapDim(Number(attrs.dim0), shape.length);
    const b = wrapDim(Number(attrs.dim1), shape.length);
    return shape.map((_, d) => (d === a ? b : d === b ? a : d));
  }),
  gradient(c) {
    const dy = c.outputGrad(0);
    return dy === undefined || !c.needsGrad(0) ? [] : c.emit('shape/transpose', [dy], c.types.attrs, [0]);
  },
});

function permutation(shape: Shape, attrs: Attrs): readonly number[] {
  const dims = attrs.dims as readonly number[];
  if (dims.length !== shape.length) {
    const counts = `input.dim() = ${shape.length} is not equal to len(dims) = ${dims.length}`;
    const what = 'number of dimensions in the tensor input does not match the length of the desired ordering';
    throw new LockstepError('shape', `permute(sparse_coo): ${what} of dimensions i.e. ${counts}`);
  }
  const order = dims.map((dim) => wrapDim(dim, shape.length));
  if (new Set(order).size < order.length)
    throw new LockstepError('shape', 'permute(): duplicate dims are not allowed.');
  return order;
}

export const permute: OpDef = moveOp({
  name: 'shape/permute',
  ...reordered(permutation),
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const order = permutation(at(c.types.inputs, 0).shape, c.types.attrs);
    const inverse = order.map((_, d) => order.indexOf(d));
    return c.emit('shape/permute', [dy], { dims: inverse }, [0]);
  },
});
