/**
 * Puts pieces into a tensor with the shape of attr `shape` that is 0 elsewhere: the gradient of slice and chunk; and
 * torch.nn.functional.pad with a constant (attrs `pad`: before and after, last dimension first, and `value`), which
 * places one piece.
 */

import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { elements, type Shape } from '../../../tensor/shape';
import { denseStrides } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { moveOp, type StridedMove } from './moves';

interface Site {
  readonly input: number;
  readonly sizes: Shape;
  readonly start: readonly number[];
  readonly step?: readonly number[];
}

function moveTo(shape: Shape, { input, sizes, start, step }: Site): StridedMove {
  const strides = denseStrides(shape);
  return {
    input,
    output: 0,
    sizes,
    from: 0,
    fromStrides: denseStrides(sizes),
    to: start.reduce((sum, v, d) => sum + v * at(strides, d), 0),
    toStrides: strides.map((stride, d) => stride * (step?.[d] ?? 1)),
  };
}

/**
 * Attrs `shape`, `sizes` and `start` of the pieces (rank entries per piece, piece after piece) and `step` (one for
 * all).
 */
export const place: OpDef = moveOp({
  name: 'shape/place',
  infer: (inputs, attrs) => [{ shape: attrs.shape as Shape, dtype: at(inputs, 0).dtype }],
  plan({ inputs, attrs }) {
    const shape = attrs.shape as Shape;
    const of = (name: string, k: number) =>
      (lookup(attrs, name) as readonly number[]).slice(k * shape.length, (k + 1) * shape.length);
    const step = attrs.step as readonly number[] | undefined;
    const moves = inputs.map((_, input) =>
      moveTo(shape, { input, sizes: of('sizes', input), start: of('start', input), ...(step ? { step } : {}) }),
    );
    const covered = inputs.reduce((sum, piece) => sum + elements(piece.shape), 0);
    return covered < elements(shape) ? { fill: 0, moves } : { moves };
  },
});

/** Elements added before and after each dimension, first dimension first. */
function margins(shape: Shape, attrs: Attrs): readonly (readonly [before: number, after: number])[] {
  const pad = attrs.pad as readonly number[];
  if (pad.length % 2 !== 0) throw new LockstepError('shape', 'Padding length must be divisible by 2');
  if (pad.length > 2 * shape.length) throw new LockstepError('shape', 'Padding length too large');
  if (pad.some((size) => !Number.isInteger(size) || size < 0))
    throw new LockstepError('shape', 'negative padding is not supported', 'Take a slice instead.');
  return shape.map((_, d) => {
    const k = 2 * (shape.length - 1 - d);
    return [pad[k] ?? 0, pad[k + 1] ?? 0];
  });
}

export const pad: OpDef = moveOp({
  name: 'shape/pad',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    const sides = margins(shape, attrs);
    return [{ shape: shape.map((size, d) => size + at(sides, d)[0] + at(sides, d)[1]), dtype }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    const start = margins(shape, c.types.attrs).map(([before]) => before);
    return c.emit('shape/slice', [dy], { start, end: shape.map((size, d) => size + at(start, d)) }, [0]);
  },
  plan({ inputs, outputs, attrs }) {
    const sizes = at(inputs, 0).shape;
    const start = margins(sizes, attrs).map(([before]) => before);
    return { fill: Number(attrs.value ?? 0), moves: [moveTo(at(outputs, 0).shape, { input: 0, sizes, start })] };
  },
});
