/**
 * torch.where(mask, a, b) and masked_fill(a, mask, value), with PyTorch's broadcasting; masks are int32. The gradient
 * of an operand of `where` is the masked dy, summed over the operand's repetitions. Attr `invert` of masked-fill fills
 * where the mask is 0.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { CpuArgs, GradientContext, OpDef, OpTypes, TensorType, ValueId } from '../../op';
import { broadcastDims, broadcastShape, type Dim, dimParams } from './broadcast';
import { type Walked, walked } from './broadcast-walk';
import { numeric } from './unary';

function checkMask(mask: TensorType): void {
  if (mask.dtype === 'i32') return;
  throw new LockstepError('data', 'expected condition to be a boolean tensor, but got a tensor with dtype Float');
}

/** The dimensions of the output, with the steps of the output and of every input. */
const planOf = ({ inputTypes, outputTypes }: CpuArgs): { readonly dims: readonly Dim[] } => {
  const out = at(outputTypes, 0).shape;
  return { dims: broadcastDims(out, [out, ...inputTypes.map((t) => t.shape)]) };
};

/** dy at the elements that came from operand i of `where`, summed to the operand's shape. */
function taken(c: GradientContext, dy: ValueId, i: number): ValueId | undefined {
  if (!c.needsGrad(i)) return undefined;
  const { shape } = at(c.types.inputs, i);
  const attrs = { value: 0, invert: i === 1 };
  const masked = at(c.emit('ops/masked-fill', [dy, c.input(0)], attrs, [i]), 0);
  if (sameShape(shape, at(c.types.outputs, 0).shape)) return masked;
  return c.emit('ops/add-grad', [masked], { operand: 0, shape }, [i])[0];
}

export const where: OpDef = {
  name: 'ops/where',
  infer(inputs) {
    checkMask(at(inputs, 0));
    return [{ shape: broadcastShape(inputs.map((t) => t.shape)), dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    return dy === undefined ? [] : [undefined, taken(c, dy, 1), taken(c, dy, 2)];
  },
  cpu(args) {
    const { dims } = args.scratch.plan(args, planOf);
    const operands = [at(args.outputs, 0), ...args.inputs].map(walked);
    const [y, mask, a, b] = operands as [Walked, Walked, Walked, Walked];
    eachElement(dims, operands, () => {
      const taken = mask.data[mask.at] !== 0 ? a : b;
      y.data[y.at] = taken.data[taken.at] as number;
    });
  },
  lower(types) {
    const out = at(types.outputs, 0).shape;
    const shapes = types.inputs.map((t) => t.shape);
    return [launch(types, out, shapes, 0, { TAKE_A_WHEN: 1, FILL: 0 })];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};

export const maskedFill: OpDef = {
  name: 'ops/masked-fill',
  infer(inputs) {
    const [x, mask] = [at(inputs, 0), at(inputs, 1)];
    checkMask(mask);
    if (!sameShape(broadcastShape([x.shape, mask.shape]), x.shape))
      throw new LockstepError(
        'shape',
        `a mask of shape ${formatShape(mask.shape)} does not fit ${formatShape(x.shape)}`,
      );
    return [{ shape: x.shape, dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    return c.emit('ops/masked-fill', [dy, c.input(1)], { ...c.types.attrs, value: 0 }, [0]);
  },
  cpu(args) {
    const { dims } = args.scratch.plan(args, planOf);
    const operands = [at(args.outputs, 0), ...args.inputs].map(walked);
    const [y, x, mask] = operands as [Walked, Walked, Walked];
    const fillsWhen = args.attrs.invert !== true;
    const value = numeric(args.attrs.value, 0);
    eachElement(dims, operands, () => {
      y.data[y.at] = (mask.data[mask.at] !== 0) === fillsWhen ? value : (x.data[x.at] as number);
    });
  },
  lower(types) {
    const [x, mask] = [at(types.inputs, 0).shape, at(types.inputs, 1).shape];
    const constants = { TAKE_A_WHEN: types.attrs.invert === true ? 1 : 0, FILL: 1 };
    const made = launch(types, x, [mask, x, x], numeric(types.attrs.value, 0), constants);
    // The binding of b gets x, which the kernel then does not read through it.
    return [{ ...made, bindings: [1, 0, 0, 2] }];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};

function launch(
  types: OpTypes,
  out: Shape,
  shapes: readonly Shape[],
  value: number,
  constants: Readonly<Record<string, number>>,
) {
  const dims = broadcastDims(out, shapes);
  const n = elements(out);
  const params = [n, { f32: value }, ...dimParams(dims, 3)];
  return dense('pointwise/where', types, params, grid(n), { ...constants, DIMS: dims.length });
}

/** Calls `visit` with the operands at every element. */
function eachElement(dims: readonly Dim[], operands: readonly Walked[], visit: () => void, depth = 0): void {
  const dim = dims[depth];
  if (!dim) {
    visit();
    return;
  }
  for (let i = 0; i < dim.size; i++) {
    eachElement(dims, operands, visit, depth + 1);
    operands.forEach((operand, k) => {
      operand.at += at(dim.steps, k);
    });
  }
  operands.forEach((operand, k) => {
    operand.at -= dim.size * at(dim.steps, k);
  });
}
