/**
 * Copies runs of elements into halves, or runs of halves, around collectives whose words hold halves; attribute
 * `scale`: the factor of each element. A word has two halves, so a run may begin and end in the middle of a word. Used
 * by the operators 'halves/copy' (half-ops.ts), fsdp/ (parallel/sharded/shard-ops), and around DDP's buckets
 * (bucket-ops.ts).
 */
import { at } from '../../base/invariant';
import { dense, grid } from '../../graph/launch';
import type { Attrs, CpuArgs, Launch, OpMove, OpTypes } from '../../graph/op';
import { type HalfFormat, halvesOf } from '../../tensor/half-bits';

const formatOf = ({ format }: Attrs): HalfFormat => (format === 'bf16' ? 'bf16' : 'f16');

export function copyHalves({ inputs, outputs, attrs }: CpuArgs, runs: readonly OpMove[]): void {
  const { toHalf, toFloat } = halvesOf(formatOf(attrs));
  const scale = Math.fround(Number(attrs.scale ?? 1));
  const scaled = scale === 1 ? (half: number) => half : (half: number) => toHalf(toFloat(half) * scale);
  for (const { from, to, length } of runs) {
    const [source, words] = [at(inputs, from.operand), at(outputs, to.operand)];
    const isFloat = source instanceof Float32Array;
    for (let i = 0; i < length; i++) {
      const element = from.offset + i;
      const half = isFloat
        ? toHalf(at(source, element) * scale)
        : scaled((at(source, element >> 1) >>> ((element & 1) * 16)) & 0xffff);
      const place = to.offset + i;
      const shift = (place & 1) * 16;
      const word = place >> 1;
      words[word] = (at(words, word) & ~(0xffff << shift)) | ((half & 0xffff) << shift);
    }
  }
}

/** Runs from one operand to another that are consecutive in the target and at a constant distance in the source. */
interface Series {
  readonly first: OpMove;
  /** Length of each run; the last may be shorter. */
  readonly chunk: number;
  readonly part: number;
  readonly length: number;
}

export function lowerHalves(types: OpTypes, runs: readonly OpMove[]): readonly Launch[] {
  const scale = Number(types.attrs.scale ?? 1);
  const BRAIN = formatOf(types.attrs) === 'bf16' ? 1 : 0;
  return seriesOf(runs).map(({ first: { from, to }, chunk, part, length }) => {
    const words = ((to.offset + length + 1) >> 1) - (to.offset >> 1);
    const FLOATS = at(types.inputs, from.operand).dtype === 'f32' ? 1 : 0;
    const params = [length, to.offset, from.offset, chunk, part, { f32: scale }];
    const launch = dense('precision/copy', types, params, grid(words), { FLOATS, SCALED: scale === 1 ? 0 : 1, BRAIN });
    return { ...launch, bindings: [from.operand, types.inputs.length + to.operand] };
  });
}

function seriesOf(runs: readonly OpMove[]): readonly Series[] {
  const ordered = runs.toSorted((a, b) => a.to.operand - b.to.operand || a.to.offset - b.to.offset);
  const found: Series[] = [];
  for (const run of ordered) {
    const open = found.at(-1);
    const joined = open && followedBy(open, run);
    if (joined) found[found.length - 1] = joined;
    else found.push({ first: run, chunk: run.length, part: 0, length: run.length });
  }
  return found;
}

function followedBy({ first, chunk, part, length }: Series, { from, to, length: more }: OpMove): Series | undefined {
  const isNext =
    from.operand === first.from.operand &&
    to.operand === first.to.operand &&
    to.offset === first.to.offset + length &&
    length % chunk === 0 &&
    more <= chunk;
  if (!isNext) return undefined;
  const distance = from.offset - first.from.offset;
  const own = part === 0 ? distance : part;
  const chunks = length / chunk;
  return own > 0 && distance === chunks * own ? { first, chunk, part: own, length: length + more } : undefined;
}
