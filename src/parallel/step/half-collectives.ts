/**
 * A collective of a tensor in half precision: the ranks send and add halves, two per int32 word. The result is halves,
 * too, which backward keeps; kernels read a float32 copy. Each rank's part begins at a word, so a part with an odd
 * number of elements has one half more than in torch. Used by graph-collectives.ts, which also counts the bytes.
 */
import { at } from '../../base/invariant';
import type { CollectiveCall } from '../../collectives/collective';
import { type CopiedRun, runAttrs } from '../../collectives/copied-runs';
import { halfWords } from '../../graph/ops/precision/half-words';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { CollectiveOp } from '../../protocol/collective';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements } from '../../tensor/shape';
import { packedName, packedSpec } from '../emit-halves';

export interface HalfCollective {
  readonly op: CollectiveOp;
  readonly format: HalfFormat;
  /** Number of ranks that take part. */
  readonly ranks: number;
  /** Float32 buffers of the tensors, with the same names on every lane. */
  readonly input: string;
  readonly output: string;
}

interface Parts {
  readonly count: number;
  /** Elements of one part. */
  readonly length: number;
}

/** A tensor of `length` elements as equal parts. */
const partsOf = (length: number, count: number): Parts => ({ count, length: length / count });

const wordsOf = ({ count, length }: Parts): number => count * at(halfWords([length]), 0);

/** Copies the parts of a tensor into words; each part begins at a word. */
const toWords = ({ count, length }: Parts): readonly CopiedRun[] =>
  Array.from({ length: count }, (_, k) => ({
    from: { operand: 0, offset: k * length },
    to: { operand: 0, offset: 2 * k * wordsOf({ count: 1, length }) },
    length,
  }));

const fromWords = (parts: Parts): readonly CopiedRun[] =>
  toWords(parts).map(({ from, to, length }) => ({ from: to, to: from, length }));

/** Words that a rank contributes of a tensor with that many elements. */
export const wordsBrought = (op: CollectiveOp, length: number, ranks: number): number =>
  wordsOf(partsOf(length, op === 'reduceScatter' ? ranks : 1));

/** All-reduce works in place, in the words of its result. */
const sentName = ({ op, input, output }: HalfCollective): string =>
  op === 'allReduce' ? packedName(output) : `${input}.sent`;

/** All-gathered parts of odd length have gaps between them: they go into a separate buffer first, then are joined. */
function receivedName(lane: LaneBuilder, { op, input, output }: HalfCollective): string {
  const isOdd = op === 'allGather' && elements(lane.spec(input).shape) % 2 === 1;
  return isOdd ? `${output}.received` : packedName(output);
}

/** Declares the buffers that are sent and received, and packs the input. */
export function packInput(lane: LaneBuilder, collective: HalfCollective, where: Where): void {
  const { op, format, ranks, input, output } = collective;
  const { shape } = lane.spec(input);
  lane.buffer({ ...packedSpec(output, lane.spec(output).shape, format), category: 'activation' }, { shared: false });
  const words = wordsBrought(op, elements(shape), ranks);
  const sent = sentName(collective);
  const isThere = op !== 'allReduce' && lane.hasOwn(sent);
  declareWords(lane, sent, words, format);
  declareWords(lane, receivedName(lane, collective), ranks * words, format);
  // Another layer has sent the same tensor: its words are packed already.
  if (isThere) return;
  const runs = toWords(partsOf(elements(shape), op === 'reduceScatter' ? ranks : 1));
  lane.compute('halves/copy', [input], [sent], runAttrs(runs, format), where);
}

function declareWords(lane: LaneBuilder, name: string, words: number, format: HalfFormat): void {
  if (lane.hasOwn(name)) return;
  const spec = { name, shape: [words], dtype: 'i32', persistent: false, category: 'communication' } as const;
  lane.buffer({ ...spec, halves: { format, shape: [2 * words] } }, { shared: false });
}

/** The operands of the collective itself. */
export function callOnWords(
  lane: LaneBuilder,
  collective: HalfCollective,
): Pick<CollectiveCall, 'input' | 'output' | 'length' | 'halves'> {
  const { op, format } = collective;
  const input = sentName(collective);
  const output = op === 'allReduce' ? {} : { output: receivedName(lane, collective) };
  const halves = op === 'allGather' ? {} : { halves: format };
  return { input, ...output, ...halves, length: elements(lane.spec(input).shape) };
}

/** Copies the result into the float32 buffer of the output. */
export function unpackResult(lane: LaneBuilder, collective: HalfCollective, where: Where): void {
  const { format, ranks, output } = collective;
  const [packed, received] = [packedName(output), receivedName(lane, collective)];
  const { shape } = lane.spec(output);
  if (received !== packed) {
    const runs = fromWords(partsOf(elements(shape), ranks));
    lane.compute('halves/copy', [received], [packed], runAttrs(runs, format), where);
  }
  lane.compute('precision/unpack', [packed], [output], { format, shape }, where);
}
