/**
 * Concatenates tensors along attr `dim`: torch.cat, and torch.stack along a new dimension. One copy per input; the
 * gradients are slices.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { formatShape, type Shape, sameShape } from '../../../tensor/shape';
import { denseStrides, dimOf, wrapDim } from '../../dims';
import type { OpDef, TensorType } from '../../op';
import { moveOp, type StridedMove } from './moves';

/** Copies input k, which covers [start_k, start_k + size_k) of `dim` in the output. */
function movesInto(output: Shape, dim: number, pieces: readonly Shape[]): readonly StridedMove[] {
  const toStrides = denseStrides(output);
  let start = 0;
  return pieces.map((sizes, input) => {
    const to = start * at(toStrides, dim);
    start += at(sizes, dim);
    return { input, output: 0, sizes, from: 0, fromStrides: denseStrides(sizes), to, toStrides };
  });
}

function checkPieces(inputs: readonly TensorType[], dim: number): void {
  const first = at(inputs, 0).shape;
  inputs.forEach(({ shape }, k) => {
    if (shape.length !== first.length)
      throw new LockstepError(
        'shape',
        `Tensors must have same number of dimensions: got ${first.length} and ${shape.length}`,
      );
    const odd = shape.findIndex((size, d) => d !== dim && size !== first[d]);
    if (odd < 0) return;
    const sizes = `Expected size ${first[odd]} but got size ${shape[odd]} for tensor number ${k} in the list.`;
    throw new LockstepError('shape', `Sizes of tensors must match except in dimension ${dim}. ${sizes}`);
  });
}

export const cat: OpDef = moveOp({
  name: 'shape/cat',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    const dim = dimOf(attrs, shape.length, 0);
    checkPieces(inputs, dim);
    const size = inputs.reduce((sum, input) => sum + at(input.shape, dim), 0);
    return [{ shape: shape.with(dim, size), dtype }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const dim = dimOf(c.types.attrs, at(c.types.inputs, 0).shape.length, 0);
    let end = 0;
    return c.types.inputs.map(({ shape }, i) => {
      const start = end;
      end += at(shape, dim);
      return c.needsGrad(i) ? c.emit('shape/slice', [dy], { dim, start, end }, [i])[0] : undefined;
    });
  },
  plan({ inputs, outputs, attrs }) {
    const { shape } = at(outputs, 0);
    const dim = dimOf(attrs, shape.length, 0);
    return {
      moves: movesInto(
        shape,
        dim,
        inputs.map((input) => input.shape),
      ),
    };
  },
});

export const stack: OpDef = moveOp({
  name: 'shape/stack',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    inputs.forEach((input, k) => {
      if (sameShape(input.shape, shape)) return;
      const sizes = `but got ${formatShape(shape)} at entry 0 and ${formatShape(input.shape)} at entry ${k}`;
      throw new LockstepError('shape', `stack expects each tensor to be equal size, ${sizes}`);
    });
    const dim = wrapDim(Number(attrs.dim ?? 0), shape.length + 1);
    return [{ shape: [...shape.slice(0, dim), inputs.length, ...shape.slice(dim)], dtype }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const { shape } = at(c.types.outputs, 0);
    const dim = wrapDim(Number(c.types.attrs.dim ?? 0), shape.length);
    return c.types.inputs.map((_, i) =>
      c.needsGrad(i) ? c.emit('shape/slice', [dy], { dim, start: i, end: i + 1, select: true }, [i])[0] : undefined,
    );
  },
  plan({ inputs, outputs, attrs }) {
    const { shape } = at(outputs, 0);
    const dim = wrapDim(Number(attrs.dim ?? 0), shape.length);
    return {
      moves: movesInto(
        shape,
        dim,
        inputs.map(() => shape.with(dim, 1)),
      ),
    };
  },
});
