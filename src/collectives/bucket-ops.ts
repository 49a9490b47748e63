/**
 * The operators around a bucket: 'ddp/pack' copies gradients into the flat bucket and multiplies them by 1/worldSize on
 * the way (PyTorch's `bucket_view = grad * (1.0/div_factor)`, reducer.cpp mark_variable_ready_dense); 'ddp/unpack'
 * copies the averaged values back into `.grad` (finalize_backward). 'ops/copy' moves one stretch within a device. If
 * gradients and bucket are halves, two in each word, attribute `format` is their format, and `lengths` has the number
 * of elements of each gradient.
 */
import { at } from '../base/invariant';
import { Part } from '../base/part';
import type { Attrs, OpDef, OpMove, OpTable, TensorType } from '../graph/op';
import { elements } from '../tensor/shape';
import { fillOp } from './fill-op';
import { flatten, unflatten } from './flat-ops';
import { scaleOp } from './scale-op';

const num = (v: Attrs[string] | undefined): number => Number(v);

/** Loaded with the operators of half precision. */
export const HALF_COPIES = new Part('Copies of halves', () => import('./halves/half-copies'));
if (!globalThis.LOCKSTEP_SITE) await HALF_COPIES.load();

const isInHalves = ({ format }: Attrs): boolean => format !== undefined;

/** The gradients, in halves, as stretches of the bucket; `pack`: into it, otherwise out of it. */
function halvesAlong({ lengths, start = 0 }: Attrs, pack: boolean): readonly OpMove[] {
  let end = num(start);
  return (lengths as readonly number[]).map((length, operand) => {
    end += length;
    const [own, inBucket] = [
      { operand, offset: 0 },
      { operand: 0, offset: end - length },
    ];
    return { from: pack ? own : inBucket, to: pack ? inBucket : own, length, scale: 1 };
  });
}

/** Consecutive tensors of a bucket from `start` on, each with its offset. */
function along(
  types: readonly TensorType[],
  { start = 0 }: Attrs,
): readonly { readonly length: number; readonly offset: number }[] {
  let end = num(start);
  return types.map(({ shape }) => {
    const length = elements(shape);
    end += length;
    return { length, offset: end - length };
  });
}

/** inputs: gradients; output: bucket, from attrs.start (default 0) on; attrs.scale. */
const pack: OpDef = {
  name: 'ddp/pack',
  infer: (inputs) => [{ shape: [inputs.reduce((n, t) => n + elements(t.shape), 0)], dtype: 'f32' }],
  cpu(args) {
    const { inputs, outputs, attrs } = args;
    if (isInHalves(attrs)) {
      HALF_COPIES.get().copyHalves(args, halvesAlong(attrs, true));
      return;
    }
    const bucket = at(outputs, 0);
    const scale = Math.fround(num(attrs.scale));
    let offset = num(attrs.start ?? 0);
    for (const gradient of inputs) {
      for (let i = 0; i < gradient.length; i++) bucket[offset + i] = (gradient[i] as number) * scale;
      offset += gradient.length;
    }
  },
  lower(types) {
    const { inputs, attrs } = types;
    if (isInHalves(attrs)) return HALF_COPIES.get().lowerHalves(types, halvesAlong(attrs, true));
    const segments = along(inputs, attrs).map(({ length, offset }, operand) => ({
      at: [
        { operand, offset: 0 },
        { operand: inputs.length, offset },
      ],
      length,
    }));
    return [{ kind: 'segmented', kernel: 'ddp/pack', params: [{ f32: num(attrs.scale) }], segments }];
  },
  flops: ({ outputs, attrs }) => (isInHalves(attrs) ? 2 : 1) * elements(at(outputs, 0).shape),
  moves({ inputs, attrs }) {
    if (isInHalves(attrs)) return undefined;
    const scale = Math.fround(num(attrs.scale));
    return along(inputs, attrs).map(({ length, offset }, operand) => ({
      from: { operand, offset: 0 },
      to: { operand: 0, offset },
      length,
      scale,
    }));
  },
};

/** inputs: bucket, from attrs.start (default 0) on; outputs: gradients. */
const unpack: OpDef = {
  name: 'ddp/unpack',
  infer: (inputs) => inputs,
  cpu(args) {
    const { inputs, outputs, attrs } = args;
    if (isInHalves(attrs)) {
      HALF_COPIES.get().copyHalves(args, halvesAlong(attrs, false));
      return;
    }
    const bucket = at(inputs, 0);
    let offset = num(attrs.start ?? 0);
    for (const gradient of outputs) {
      gradient.set(bucket.subarray(offset, offset + gradient.length));
      offset += gradient.length;
    }
  },
  lower(types) {
    const { outputs, attrs } = types;
    if (isInHalves(attrs)) return HALF_COPIES.get().lowerHalves(types, halvesAlong(attrs, false));
    const segments = along(outputs, attrs).map(({ length, offset }, k) => ({
      at: [
        { operand: 0, offset },
        { operand: 1 + k, offset: 0 },
      ],
      length,
    }));
    return [{ kind: 'segmented', kernel: 'comm/transfer', constants: { JOIN: 0 }, params: [], segments }];
  },
  flops: () => 0,
  moves: ({ outputs, attrs }) =>
    isInHalves(attrs)
      ? undefined
      : along(outputs, attrs).map(({ length, offset }, operand) => ({
          from: { operand: 0, offset },
          to: { operand, offset: 0 },
          length,
          scale: 1,
        })),
};

/** inputs: source; output: target. Copies `length` elements from `from` of the source to `to` of the target. */
const copy: OpDef = {
  name: 'ops/copy',
  infer: (inputs) => inputs,
  cpu({ inputs, outputs, attrs }) {
    const from = num(attrs.from);
    at(outputs, 0).set(at(inputs, 0).subarray(from, from + num(attrs.length)), num(attrs.to));
  },
  lower: ({ attrs }) => [
    {
      kind: 'segmented',
      kernel: 'comm/transfer',
      constants: { JOIN: 0 },
      params: [],
      segments: [
        {
          at: [
            { operand: 0, offset: num(attrs.from) },
            { operand: 1, offset: num(attrs.to) },
          ],
          length: num(attrs.length),
        },
      ],
    },
  ],
  flops: () => 0,
  moves: ({ attrs }) => [
    {
      from: { operand: 0, offset: num(attrs.from) },
      to: { operand: 0, offset: num(attrs.to) },
      length: num(attrs.length),
      scale: 1,
    },
  ],
};

export const COMM_OPS: OpTable = new Map(
  [pack, unpack, copy, scaleOp, fillOp, flatten, unflatten].map((op) => [op.name, op]),
);
