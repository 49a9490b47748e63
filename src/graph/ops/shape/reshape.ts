/**
 * The same elements in another shape: torch.reshape (attr `shape`, one size may be -1) and torch.flatten (attrs
 * `startDim`, `endDim`). One flat copy, because each value owns its buffer here: a buffer cannot have two shapes.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import { wrapDim } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { type MoveOp, moveOp } from './moves';

function viewedAs(name: string, target: (shape: Shape, attrs: Attrs) => Shape): MoveOp {
  return {
    name,
    infer(inputs, attrs) {
      const { shape, dtype } = at(inputs, 0);
      return [{ shape: target(shape, attrs), dtype }];
    },
    gradient(c) {
      const dy = c.outputGrad(0);
      if (dy === undefined || !c.needsGrad(0)) return [];
      return c.emit('shape/reshape', [dy], { shape: at(c.types.inputs, 0).shape }, [0]);
    },
    plan({ inputs }) {
      const sizes = [elements(at(inputs, 0).shape)];
      return { moves: [{ input: 0, output: 0, sizes, from: 0, fromStrides: [1], to: 0, toStrides: [1] }] };
    },
  };
}

function resolved(shape: Shape, attrs: Attrs): Shape {
  const wanted = attrs.shape as readonly number[];
  const n = elements(shape);
  if (wanted.filter((size) => size === -1).length > 1)
    throw new LockstepError('shape', 'only one dimension can be inferred');
  const known = elements(wanted.filter((size) => size !== -1));
  const result = wanted.map((size) => (size === -1 ? n / known : size));
  if (elements(result) === n && result.every((size) => Number.isInteger(size) && size > 0)) return result;
  throw new LockstepError('shape', `shape '${formatShape(wanted)}' is invalid for input of size ${n}`);
}

export const reshape: OpDef = moveOp(viewedAs('shape/reshape', resolved));

export const flatten: OpDef = moveOp(
  viewedAs('shape/flatten', (shape, attrs) => {
    const first = wrapDim(Number(attrs.startDim ?? 0), shape.length);
    const last = wrapDim(Number(attrs.endDim ?? -1), shape.length);
    if (first > last)
      throw new LockstepError('shape', 'flatten() has invalid args: start_dim cannot come after end_dim');
    return [...shape.slice(0, first), elements(shape.slice(first, last + 1)), ...shape.slice(last + 1)];
  }),
);
