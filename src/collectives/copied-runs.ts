/**
 * Runs of elements that an operator copies from its inputs to its outputs, as attributes of a compute instruction. Used
 * by the operators of shards (parallel/sharded/shard-ops) and by 'halves/copy'.
 */
import type { Attrs, OpMove } from '../graph/op';
import type { HalfFormat } from '../tensor/half-bits';

/** Numbers per run: input, offset in the input, output, offset in the output, length. */
const FIELDS = 5;

export type CopiedRun = Pick<OpMove, 'from' | 'to' | 'length'>;

/** `half`: format of the outputs; `scale`: factor of float32 inputs before the cast. */
export const runAttrs = (runs: readonly CopiedRun[], half?: HalfFormat, scale = 1): Attrs => ({
  runs: runs.flatMap(({ from, to, length }) => [from.operand, from.offset, to.operand, to.offset, length]),
  ...(half ? { format: half } : {}),
  ...(scale === 1 ? {} : { scale }),
});

export function runsIn({ runs }: Attrs): readonly OpMove[] {
  const numbers = runs as readonly number[];
  return Array.from({ length: numbers.length / FIELDS }, (_, k) => {
    const [from = 0, start = 0, to = 0, offset = 0, length = 0] = numbers.slice(k * FIELDS, (k + 1) * FIELDS);
    return { from: { operand: from, offset: start }, to: { operand: to, offset }, length, scale: 1 };
  });
}
