/**
 * Half precision on kernels that compute in float32: an operator in bfloat16 or float16 widens its inputs, computes in
 * float32, and rounds its result once, as torch's CPU kernels do. While operators use a tensor in half precision, it is
 * a float32 buffer whose values are halves; while it is kept, it is stored as halves, two per int32 word.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { floatsOfHalves, type HalfFormat, roundTo, storeHalves } from '../../../tensor/half-bits';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef, OpTypes } from '../../op';
import { halfWords } from './half-words';

const formatOf = ({ format }: Attrs): HalfFormat => {
  if (format !== 'bf16' && format !== 'f16')
    throw new LockstepError('program', `${format} is not a half-precision format.`);
  return format;
};
const brain = (attrs: Attrs): number => (formatOf(attrs) === 'bf16' ? 1 : 0);
const size = ({ inputs }: OpTypes): number => elements(at(inputs, 0).shape);

const floats = (values: Float32Array | Int32Array | undefined): Float32Array => {
  if (values instanceof Float32Array) return values;
  throw new LockstepError('program', 'Only float32 values are rounded to half precision.');
};

/**
 * tensor.to(dtype) of a float32 tensor. Attribute `format`: 'bf16', 'f16', or 'f32', which returns to float32 and
 * changes no value; `from`: the format of the input and of its gradient.
 */
export const cast: OpDef = {
  name: 'precision/cast',
  infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    const { format = 'f32', from = 'f32' } = c.types.attrs;
    return c.emit('precision/cast', [dy], { format: from, from: format }, [0]);
  },
  cpu({ inputs, outputs, attrs }) {
    const target = floats(outputs[0]);
    target.set(at(inputs, 0));
    if (attrs.format !== 'f32') roundTo(formatOf(attrs), target);
  },
  lower(types) {
    const n = size(types);
    if (types.attrs.format !== 'f32')
      return [dense('precision/cast', types, [n], grid(n), { BRAIN: brain(types.attrs) })];
    const stretch = { at: [0, 1].map((operand) => ({ operand, offset: 0 })), length: n };
    return [{ kind: 'segmented', kernel: 'ddp/pack', params: [{ f32: 1 }], segments: [stretch] }];
  },
  flops: (types) => size(types),
};

/** Rounds every element to the nearest value of the format, in place. */
const round: OpDef = {
  name: 'precision/round',
  isConversion: true,
  infer: (inputs) => [at(inputs, 0)],
  cpu: ({ outputs, attrs }) => roundTo(formatOf(attrs), floats(outputs[0])),
  lower(types) {
    const launch = dense('precision/round', types, [size(types)], grid(size(types)), { BRAIN: brain(types.attrs) });
    return [{ ...launch, bindings: [1] }];
  },
  flops: (types) => size(types),
};

/** As `round`; the second output, int32, holds the values as halves. */
const pack: OpDef = {
  name: 'precision/pack',
  isConversion: true,
  infer: (inputs) => [at(inputs, 0), { shape: halfWords(at(inputs, 0).shape), dtype: 'i32' }],
  cpu({ outputs, attrs }) {
    const [values, words] = [floats(outputs[0]), at(outputs, 1)];
    roundTo(formatOf(attrs), values);
    storeHalves(formatOf(attrs), values, words as Int32Array);
  },
  lower(types) {
    const words = Math.ceil(size(types) / 2);
    const launch = dense('precision/pack', types, [size(types)], grid(words), { BRAIN: brain(types.attrs) });
    return [{ ...launch, bindings: [1, 2] }];
  },
  flops: (types) => size(types),
};

/** Halves, int32, to float32: exact. Attribute `shape`: of the tensor. */
const unpack: OpDef = {
  name: 'precision/unpack',
  isConversion: true,
  infer: (_, attrs) => [{ shape: attrs.shape as Shape, dtype: 'f32' }],
  cpu({ inputs, outputs, attrs }) {
    const [words, values] = [at(inputs, 0), at(outputs, 0)];
    values.set(floatsOfHalves(formatOf(attrs), words as Int32Array, values.length));
  },
  lower(types) {
    const n = elements(at(types.outputs, 0).shape);
    const words = Math.ceil(n / 2);
    const constants = { MODE: 2, BRAIN: brain(types.attrs) };
    return [dense('comm/halves', types, [words, n, 0, 1], grid(words), constants)];
  },
  flops: ({ outputs }) => elements(at(outputs, 0).shape),
};

export const PRECISION_OPS: readonly OpDef[] = [cast, round, pack, unpack];
