/**
 * The operators of a tensor in half precision, two halves in an int32 word (element 2i in the low bits of word i), so
 * that a message has half the bytes: 'halves/encode' (float32, cast and then divided, as fp16_compress_hook does),
 * 'halves/add' (the sum of an all-reduce of such a tensor), 'halves/decode', and 'halves/copy' (copies runs of float32
 * elements or of halves into halves). Attribute `format`: 'f16' or 'bf16'. Emitted by DDP's compressing hooks and by
 * collectives whose words hold halves.
 */
import { at } from '../../base/invariant';
import { grid } from '../../graph/launch';
import type { Attrs, OpDef, OpTable, OpTypes } from '../../graph/op';
import { type HalfFormat, halvesOf } from '../../tensor/half-bits';
import { elements } from '../../tensor/shape';
import { runsIn } from '../copied-runs';
import { copyHalves, lowerHalves } from './half-copies';

export const wordsOf = (length: number): number => Math.ceil(length / 2);

const formatOf = (attrs: Attrs): HalfFormat => (attrs.format === 'bf16' ? 'bf16' : 'f16');

const MODES = { 'halves/encode': 0, 'halves/add': 1, 'halves/decode': 2 } as const;

interface Sizes {
  /** Number of words to process. */
  readonly count: number;
  /** Elements of the float32 tensor. */
  readonly length: number;
}

const launch = (name: keyof typeof MODES, { attrs }: OpTypes, { count, length }: Sizes) => [
  {
    kind: 'dense' as const,
    kernel: 'comm/halves' as const,
    constants: { MODE: MODES[name], BRAIN: formatOf(attrs) === 'bf16' ? 1 : 0 },
    bindings: name === 'halves/add' ? [0, 2] : [0, 1],
    params: [count, length, Number(attrs.to ?? 0), Number(attrs.divisor ?? 1)],
    workgroups: grid(count),
  },
];

/** Input float32 [n]; output int32 [ceil(n / 2)]; attr `divisor`. */
const encode: OpDef = {
  name: 'halves/encode',
  infer: (inputs) => [{ shape: [wordsOf(elements(at(inputs, 0).shape))], dtype: 'i32' }],
  cpu({ inputs, outputs, attrs }) {
    const [source, words] = [at(inputs, 0), at(outputs, 0)];
    const halves = halvesOf(formatOf(attrs));
    const divisor = Number(attrs.divisor);
    const half = (value: number) => halves.quotient(halves.toHalf(value), divisor);
    for (let i = 0; i < words.length; i++)
      words[i] = half(source[2 * i] as number) | (half(source[2 * i + 1] ?? 0) << 16);
  },
  lower(types) {
    const length = elements(at(types.inputs, 0).shape);
    return launch('halves/encode', types, { count: wordsOf(length), length });
  },
  flops: ({ inputs }) => 2 * elements(at(inputs, 0).shape),
};

/** Inputs received [>= length] and own [n], int32; output own: `length` words from `to` on become own + received. */
const add: OpDef = {
  name: 'halves/add',
  infer: (inputs) => [at(inputs, 1)],
  cpu({ inputs, outputs, attrs }) {
    const [received, own] = [at(inputs, 0), at(outputs, 0)];
    const { sum } = halvesOf(formatOf(attrs));
    const start = Number(attrs.to);
    for (let i = 0; i < Number(attrs.length); i++) {
      const [a, b] = [own[start + i] as number, received[i] as number];
      own[start + i] = sum(a & 0xffff, b & 0xffff) | (sum(a >>> 16, b >>> 16) << 16);
    }
  },
  lower: (types) =>
    launch('halves/add', types, { count: Number(types.attrs.length), length: 2 * Number(types.attrs.length) }),
  flops: ({ attrs }) => 2 * Number(attrs.length),
};

/** Input int32 [ceil(n / 2)]; output float32 [n]. */
const decode: OpDef = {
  name: 'halves/decode',
  infer: (inputs) => [{ shape: [2 * elements(at(inputs, 0).shape)], dtype: 'f32' }],
  cpu({ inputs, outputs, attrs }) {
    const [words, target] = [at(inputs, 0), at(outputs, 0)];
    const { toFloat } = halvesOf(formatOf(attrs));
    for (let i = 0; i < target.length; i++)
      target[i] = toFloat(((words[i >> 1] as number) >>> ((i & 1) * 16)) & 0xffff);
  },
  lower(types) {
    const length = elements(at(types.outputs, 0).shape);
    return launch('halves/decode', types, { count: wordsOf(length), length });
  },
  flops: ({ outputs }) => elements(at(outputs, 0).shape),
};

/** Input float32, or int32 of halves; output int32; attr `runs`, in elements (copied-runs.ts). */
const copy: OpDef = {
  name: 'halves/copy',
  isConversion: true,
  infer: (inputs) => inputs,
  cpu: (args) => copyHalves(args, runsIn(args.attrs)),
  lower: (types) => lowerHalves(types, runsIn(types.attrs)),
  flops: () => 0,
};

export const HALF_OPS: OpTable = new Map([encode, add, decode, copy].map((op) => [op.name, op]));
