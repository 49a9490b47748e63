/**
 * x with elements of src written (torch.scatter) or added (torch.scatter_add) along attr `dim` at the places that an
 * int32 index names: y[o, index[o, j, i], i]. One invocation walks a line of indices in order, so that equal indices
 * accumulate in order, and the last of them wins a write. So writes are deterministic, which torch does not promise.
 * Index and src have x's sizes in all other dimensions. 'shape/gather-grad' adds onto zeros.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import { dimOf } from '../../dims';
import { grid } from '../../launch';
import type { Attrs, GradientContext, OpDef, OpTypes, TensorType, ValueId } from '../../op';
import { checkIndex, linesOf, outOfBounds } from './gather-elements';

interface Mode {
  /** Whether it adds to the element instead of replacing it. */
  readonly add: boolean;
  /** Whether it starts from x (otherwise from zeros), and whether it writes src (otherwise zeros). */
  readonly from: boolean;
  readonly source: boolean;
}

/** Operands [x?, index, src?] by mode; shapes: of the output. */
function scatterOp(
  name: string,
  mode: Mode,
  operands: { readonly x?: number; readonly index: number; readonly src?: number },
  infer: OpDef['infer'],
  gradient?: (c: GradientContext) => readonly (ValueId | undefined)[],
): OpDef {
  const lines = (inputs: readonly TensorType[], output: Shape, attrs: Attrs) =>
    linesOf(output, at(inputs, operands.index).shape, attrs);
  return {
    name,
    infer,
    ...(gradient ? { gradient } : {}),
    cpu({ inputs, outputs, inputTypes, outputTypes, attrs }) {
      const y = at(outputs, 0);
      const index = at(inputs, operands.index);
      const src = operands.src === undefined ? undefined : at(inputs, operands.src);
      const { n, inner, dim, picks } = lines(inputTypes, at(outputTypes, 0).shape, attrs);
      if (operands.x === undefined) y.fill(0);
      else y.set(at(inputs, operands.x));
      for (let i = 0; i < index.length; i++) {
        const k = index[i] as number;
        if (!(k >= 0 && k < n)) throw outOfBounds(k, dim, n);
        const j = (Math.floor(i / (picks * inner)) * n + k) * inner + (i % inner);
        const v = src ? (src[i] as number) : 0;
        y[j] = mode.add ? (y[j] as number) + v : v;
      }
    },
    lower(types: OpTypes) {
      const { outer, n, inner, picks } = lines(types.inputs, at(types.outputs, 0).shape, types.attrs);
      const { index } = operands;
      return [
        {
          kind: 'dense',
          kernel: 'shape/scatter',
          constants: { ADD: mode.add ? 1 : 0, FROM_X: mode.from ? 1 : 0, FROM_SRC: mode.source ? 1 : 0 },
          // Bindings that a mode does not read get the index.
          bindings: [operands.x ?? index, index, operands.src ?? index, types.inputs.length],
          params: [outer, n, inner, picks],
          workgroups: grid(outer * inner),
        },
      ];
    },
    flops: (types) => (mode.add ? elements(at(types.inputs, operands.index).shape) : 0),
  };
}

const inferScatter: OpDef['infer'] = (inputs, attrs) => {
  const [x, index, src] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
  checkIndex(x.shape, index.shape, attrs, 'scatter()');
  if (!sameShape(index.shape, src.shape))
    throw new LockstepError(
      'shape',
      `scatter(): index ${formatShape(index.shape)} and src ${formatShape(src.shape)} must have the same sizes`,
      'Slice src to the sizes of the index first.',
    );
  return [{ shape: x.shape, dtype: 'f32' }];
};

const dsrc = (c: GradientContext, dy: ValueId): ValueId | undefined =>
  c.needsGrad(2) ? c.emit('shape/gather', [dy, c.input(1)], c.types.attrs, [2])[0] : undefined;

const all = { x: 0, index: 1, src: 2 };

export const scatter: OpDef = scatterOp(
  'shape/scatter',
  { add: false, from: true, source: true },
  all,
  inferScatter,
  (c) => {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const dx = c.needsGrad(0) ? c.emit('shape/scatter-grad', [dy, c.input(1)], c.types.attrs, [0])[0] : undefined;
    return [dx, undefined, dsrc(c, dy)];
  },
);

export const scatterAdd: OpDef = scatterOp(
  'shape/scatter-add',
  { add: true, from: true, source: true },
  all,
  inferScatter,
  (c) => {
    const dy = c.outputGrad(0);
    return dy === undefined ? [] : [dy, undefined, dsrc(c, dy)];
  },
);

/** Inputs dy and index; output dx: dy with zeros where src was written. */
export const scatterGrad: OpDef = scatterOp(
  'shape/scatter-grad',
  { add: false, from: true, source: false },
  { x: 0, index: 1 },
  (inputs) => [at(inputs, 0)],
);

/** Inputs dy and index; output with the shape of attr `shape`: dy added to zeros. */
export const gatherGrad: OpDef = scatterOp(
  'shape/gather-grad',
  { add: true, from: false, source: true },
  { index: 1, src: 0 },
  (_, attrs) => {
    const shape = attrs.shape as Shape;
    dimOf(attrs, shape.length);
    return [{ shape, dtype: 'f32' }];
  },
);
