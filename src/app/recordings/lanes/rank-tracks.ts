/**
 * The tracks of a recorded rank: its outermost computation on one track, its collectives on as few as possible, the
 * gaps with neither and the named part around each, and on demand every thread and stream with nested spans. Made once
 * per rank; times only, no pixels. Pure.
 */
import { once } from '../../../base/once';
import type { RecordedCollective, RecordedLane, RecordedRank, RecordedStep } from '../../../recordings/recording';
import { SPAN_KINDS, spanAt } from '../../../recordings/spans';
import { type Interval, joined, without } from '../../../trace/intervals';
import { type Blocks, blockAt, blocksOf, emptyBlocks, type LaneBlock, stacked } from './blocks';
import { type Bracket, bracketsOf, computeBlocks } from './compute-blocks';
import { createToneOf, toneIndex } from './tones';

/** Neighbouring blocks of one tone, which share a label if they are too narrow for their own. */
export interface ToneRun extends Interval {
  readonly tone: number;
  /** The range of the run's blocks; the end is exclusive. */
  readonly first: number;
  readonly end: number;
}

/** A stretch without computation and communication. */
export interface IdleGap extends Interval {
  /** The named part that contains most of the gap: "slow_loader"; undefined: none. Computed on demand. */
  readonly inside: () => Bracket | undefined;
}

export interface RankTracks {
  /** Index into the recording's ranks. */
  readonly index: number;
  readonly rank: RecordedRank;
  readonly compute: Blocks;
  readonly runs: readonly ToneRun[];
  /** One track, or several if collectives overlap. */
  readonly communication: readonly Blocks[];
  readonly gaps: readonly IdleGap[];
  readonly steps: readonly RecordedStep[];
  /** The collective to which a span belongs; -1: none. */
  readonly collectiveOf: (lane: number, span: number) => number;
}

const COLLECTIVE = SPAN_KINDS.indexOf('collective');
const MOST_STACKED = 3;

/** The blocks of a run are at most this many microseconds apart. */
const RUN_GAP_US = 400;

export function runsOf(blocks: Blocks): readonly ToneRun[] {
  const runs: { startUs: number; endUs: number; tone: number; first: number; end: number }[] = [];
  for (let index = 0; index < blocks.count; index++) {
    const { startUs, endUs, tone } = blockAt(blocks, index);
    const last = runs.at(-1);
    if (last?.tone === tone && startUs - last.endUs <= RUN_GAP_US) {
      last.endUs = endUs;
      last.end = index + 1;
    } else runs.push({ startUs, endUs, tone, first: index, end: index + 1 });
  }
  return runs;
}

type CollectiveOf = RankTracks['collectiveOf'];

function collectivesOf(rank: RecordedRank, collectives: readonly RecordedCollective[]): CollectiveOf {
  const byLane = rank.lanes.map(() => new Map<number, number>());
  for (const { id, parts } of collectives)
    for (const part of parts) if (part.rank === rank.rank) byLane[part.lane]?.set(part.span, id);
  return (lane, span) => byLane[lane]?.get(span) ?? -1;
}

function communicationBlocks(rank: RecordedRank, collectiveOf: CollectiveOf): readonly Blocks[] {
  const tone = toneIndex('communication');
  const list = rank.lanes.flatMap((lane, at): LaneBlock[] => {
    const found: LaneBlock[] = [];
    for (let span = 0; span < lane.spans.count; span++) {
      if (lane.spans.kind[span] !== COLLECTIVE) continue;
      const { startUs, durUs } = spanAt(rank, lane, span);
      found.push({ startUs, endUs: startUs + durUs, lane: at, span, tone, collective: collectiveOf(at, span) });
    }
    return found;
  });
  return stacked(
    list.sort((a, b) => a.startUs - b.startUs),
    MOST_STACKED,
  ).map(blocksOf);
}

/** The idle gaps within steps; outside steps nothing was measured. */
function gapsOf(
  steps: readonly Interval[],
  busy: readonly Interval[],
  brackets: () => readonly Bracket[],
): readonly IdleGap[] {
  return steps
    .flatMap((step) => without(step, busy.slice(...around(busy, step))))
    .map(({ startUs, endUs }) => ({ startUs, endUs, inside: once(() => innermost(brackets(), startUs, endUs)) }));
}

/** The range of the ordered, separate stretches that overlap another stretch; the end is exclusive. */
function around(list: readonly Interval[], { startUs, endUs }: Interval): readonly [first: number, end: number] {
  const beyond = (isBeyond: (one: Interval) => boolean): number => {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const one = list[middle];
      if (one && isBeyond(one)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return [beyond((one) => one.endUs > startUs), beyond((one) => one.startUs >= endUs)];
}

/** The shortest bracket that contains more than half of a stretch. */
function innermost(brackets: readonly Bracket[], startUs: number, endUs: number): Bracket | undefined {
  let best: Bracket | undefined;
  for (const bracket of brackets) {
    const shared = Math.min(endUs, bracket.endUs) - Math.max(startUs, bracket.startUs);
    if (shared <= 0.5 * (endUs - startUs)) continue;
    if (!best || bracket.endUs - bracket.startUs < best.endUs - best.startUs) best = bracket;
  }
  return best;
}

export function rankTracks(rank: RecordedRank, index: number, collectives: readonly RecordedCollective[]): RankTracks {
  const compute = blocksOf(computeBlocks(rank));
  const collectiveOf = collectivesOf(rank, collectives);
  const communication = communicationBlocks(rank, collectiveOf);
  const all = [compute, ...communication].flatMap(intervalsOf);
  return {
    index,
    rank,
    compute,
    runs: runsOf(compute),
    communication,
    gaps: gapsOf(
      rank.steps,
      joined(all),
      once(() => bracketsOf(rank)),
    ),
    steps: rank.steps,
    collectiveOf,
  };
}

const intervalsOf = (blocks: Blocks): readonly Interval[] =>
  Array.from({ length: blocks.count }, (_, index) => blockAt(blocks, index));

const DEEPEST = 6;

/** A thread or stream as recorded: one track per depth of nesting. One track may have half a million spans. */
export function nestedTracks({ rank, collectiveOf }: RankTracks, lane: RecordedLane, at: number): readonly Blocks[] {
  const { spans } = lane;
  const tones = tonesOf(rank);
  const counts = Array.from({ length: Math.min(lane.rows, DEEPEST) }, () => 0);
  for (const depth of spans.depth) if (depth < counts.length) counts[depth] = (counts[depth] ?? 0) + 1;
  const rows = counts.map(emptyBlocks);
  const filled = counts.map(() => 0);
  for (let span = 0; span < spans.count; span++) {
    const depth = spans.depth[span] ?? 0;
    const row = rows[depth];
    const index = filled[depth];
    if (!row || index === undefined) continue;
    const startUs = spans.startUs[span] ?? 0;
    // Neighbouring spans may overlap by a nanosecond because times are rounded.
    const from = Math.max(startUs, row.endUs[index - 1] ?? startUs);
    row.startUs[index] = from;
    row.endUs[index] = Math.max(from, startUs + (spans.durUs[span] ?? 0));
    row.lane[index] = at;
    row.span[index] = span;
    row.tone[index] = tones(spans.name[span] ?? 0, spans.kind[span] ?? 0);
    row.collective[index] = collectiveOf(at, span);
    filled[depth] = index + 1;
  }
  return rows;
}

/** A span's tone by the indices of its name and kind; each pair is computed once. */
function tonesOf({ strings }: RecordedRank): (name: number, kind: number) => number {
  const toneOf = createToneOf();
  const known = new Map<number, number>();
  return (name, kind) => {
    const key = name * SPAN_KINDS.length + kind;
    const tone = known.get(key) ?? toneIndex(toneOf(SPAN_KINDS[kind] ?? 'other', strings[name] ?? '', []));
    known.set(key, tone);
    return tone;
  };
}
