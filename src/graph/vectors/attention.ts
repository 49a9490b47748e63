/** Attention with vectors, head by head. */
import { at } from '../../base/invariant';
import type { HostArray } from '../../tensor/shape';
import { type ElementPlace, type Heads, packedHeads, separateHeads } from '../ops/attention/heads';
import type { VectorOp } from './vector-op';
import { addressOf, type Vectors } from './vectors';

interface Forward {
  readonly q: HostArray;
  readonly k: HostArray;
  readonly v: HostArray;
  readonly out: HostArray;
  readonly lse: HostArray;
}

interface Backward extends Omit<Forward, 'lse'> {
  readonly dout: HostArray;
  readonly dq: HostArray;
  readonly dk: HostArray;
  readonly dv: HostArray;
  readonly delta: HostArray;
}

const headAt = (array: HostArray, place: ElementPlace, b: number, h: number): number =>
  addressOf(array) + 4 * (place.offset + b * place.batch + h * place.head);

/** A call for each head of each sample. */
const ofHeads = (a: Heads, call: (b: number, h: number, statistics: number) => readonly number[]) =>
  Array.from({ length: a.batch * a.heads }, (_, i) => call(Math.floor(i / a.heads), i % a.heads, 4 * i * a.queries));

const sizesOf = (a: Heads): number[] => [a.queries, a.keys, a.headDim, a.scale, a.causal ? 1 : 0];

const hasRoom = (a: Heads, { kernels, fits }: Vectors): boolean => fits(kernels.attentionScratch(a.keys, a.headDim));

function forward(a: Heads, { q, k, v, out, lse }: Forward, vectors: Vectors): (() => void) | undefined {
  if (!hasRoom(a, vectors)) return undefined;
  const calls = ofHeads(a, (b, h, statistics) => [
    ...[headAt(q, a.q, b, h), a.q.row, headAt(k, a.k, b, h), a.k.row, headAt(v, a.v, b, h), a.v.row],
    ...[headAt(out, a.out, b, h), a.out.row, addressOf(lse) + statistics],
    ...sizesOf(a),
  ]);
  return () => vectors.each('attend', calls, true);
}

function backward(a: Heads, t: Backward, vectors: Vectors): (() => void) | undefined {
  if (!hasRoom(a, vectors)) return undefined;
  const calls = ofHeads(a, (b, h, statistics) => [
    ...[headAt(t.q, a.q, b, h), a.q.row, headAt(t.k, a.k, b, h), a.k.row, headAt(t.v, a.v, b, h), a.v.row],
    ...[headAt(t.out, a.out, b, h), headAt(t.dout, a.out, b, h), a.out.row],
    ...[headAt(t.dq, a.q, b, h), headAt(t.dk, a.k, b, h), headAt(t.dv, a.v, b, h)],
    ...[addressOf(t.delta) + statistics, ...sizesOf(a)],
  ]);
  return () => vectors.each('attendBackward', calls, true);
}

export const ATTENTION_VECTORS: readonly (readonly [string, VectorOp])[] = [
  [
    'attention/attention',
    ({ inputs, outputs, inputTypes, attrs }, vectors) => {
      const [q, k, v] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
      return forward(separateHeads(inputTypes, attrs), { q, k, v, out: at(outputs, 0), lse: at(outputs, 1) }, vectors);
    },
  ],
  [
    'attention/self-attention',
    ({ inputs, outputs, inputTypes, attrs }, vectors) => {
      const qkv = at(inputs, 0);
      const tensors = { q: qkv, k: qkv, v: qkv, out: at(outputs, 0), lse: at(outputs, 1) };
      return forward(packedHeads(at(inputTypes, 0).shape, attrs), tensors, vectors);
    },
  ],
  [
    'attention/attention-grad',
    ({ inputs, outputs, inputTypes, attrs }, vectors) => {
      const [q, k, v, out, dout] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3), at(inputs, 5)];
      const [dq, dk, dv, delta] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
      return backward(separateHeads(inputTypes, attrs), { q, k, v, out, dout, dq, dk, dv, delta }, vectors);
    },
  ],
  [
    'attention/self-attention-grad',
    ({ inputs, outputs, inputTypes, attrs }, vectors) => {
      const [qkv, out, dout] = [at(inputs, 0), at(inputs, 1), at(inputs, 3)];
      const [dqkv, delta] = [at(outputs, 0), at(outputs, 1)];
      const tensors = { q: qkv, k: qkv, v: qkv, out, dout, dq: dqkv, dk: dqkv, dv: dqkv, delta };
      return backward(packedHeads(at(inputTypes, 0).shape, attrs), tensors, vectors);
    },
  ],
];
