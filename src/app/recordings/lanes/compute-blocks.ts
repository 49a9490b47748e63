/**
 * The outermost computation of a recorded rank: operators on threads for a run without GPU, kernels on streams for a
 * run with GPUs. Their phase comes from the named parts around them. Pure.
 */
import type { RecordedLane, RecordedRank } from '../../../recordings/recording';
import { SPAN_KINDS, spanAt } from '../../../recordings/spans';
import type { Interval } from '../../../trace/intervals';
import type { LaneBlock } from './blocks';
import { createToneOf, type ToneOf, toneIndex } from './tones';

/** A named part of the program, or the loader. */
export interface Bracket extends Interval {
  readonly name: string;
  readonly loader: boolean;
}

const kindIndex = (kind: (typeof SPAN_KINDS)[number]): number => SPAN_KINDS.indexOf(kind);
const WORKS: ReadonlySet<number> = new Set([kindIndex('operator'), kindIndex('kernel'), kindIndex('copy')]);
const NAMES: ReadonlySet<number> = new Set([kindIndex('annotation'), kindIndex('loader')]);

/** The outermost spans of a lane, with the phase that follows from names. */
function outermost(rank: RecordedRank, lane: RecordedLane, at: number, toneOf: ToneOf): readonly LaneBlock[] {
  const found: LaneBlock[] = [];
  const around: { readonly name: string; readonly endUs: number }[] = [];
  let covered = Number.NEGATIVE_INFINITY;
  const { spans } = lane;
  for (let span = 0; span < spans.count; span++) {
    const kindNumber = spans.kind[span] ?? 0;
    const works = WORKS.has(kindNumber);
    if (!works && !NAMES.has(kindNumber)) continue;
    const startUs = spans.startUs[span] ?? 0;
    const endUs = startUs + (spans.durUs[span] ?? 0);
    if (works && startUs < covered) continue;
    while ((around.at(-1)?.endUs ?? Number.POSITIVE_INFINITY) <= startUs) around.pop();
    const { name, kind } = spanAt(rank, lane, span);
    if (!works) {
      around.push({ name, endUs });
      continue;
    }
    const names = around.map((bracket) => bracket.name);
    found.push({ startUs, endUs, lane: at, span, tone: toneIndex(toneOf(kind, name, names)), collective: -1 });
    covered = endUs;
  }
  return found;
}

/** The blocks of all compute lanes on one track; if two overlap, the earlier one is in front. */
export function computeBlocks(rank: RecordedRank): readonly LaneBlock[] {
  const toneOf = createToneOf();
  const all = rank.lanes
    .flatMap((lane, at) => (lane.role === 'compute' ? outermost(rank, lane, at, toneOf) : []))
    .sort((a, b) => a.startUs - b.startUs);
  let covered = Number.NEGATIVE_INFINITY;
  return all.flatMap((block) => {
    const startUs = Math.max(block.startUs, covered);
    if (block.endUs <= startUs) return [];
    covered = block.endUs;
    return [startUs === block.startUs ? block : { ...block, startUs }];
  });
}

export function bracketsOf(rank: RecordedRank): readonly Bracket[] {
  return rank.lanes.flatMap((lane) => {
    const found: Bracket[] = [];
    for (let span = 0; span < lane.spans.count; span++) {
      if (!NAMES.has(lane.spans.kind[span] ?? 0)) continue;
      const { name, startUs, durUs, kind } = spanAt(rank, lane, span);
      found.push({ startUs, endUs: startUs + durUs, name, loader: kind === 'loader' });
    }
    return found;
  });
}
