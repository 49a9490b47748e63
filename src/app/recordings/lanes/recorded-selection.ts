/** Moves the selection of a recorded timeline by keys, and tells selections apart. Pure. */
import type { Interval } from '../../../trace/intervals';
import { indexAt, type LaneDirection, moveAlong, type SelectableLane } from '../../lanes/move-along';
import { type Blocks, blockAt } from './blocks';
import type { RankTracks } from './rank-tracks';
import { spanId } from './recorded-scene';
import type { FoundAt, SpanAt } from './recorded-scene-types';

interface Line extends SelectableLane<FoundAt> {
  readonly rank: number;
  readonly blocks: Blocks;
}

/** The lines in order: each rank's computation, then its communication. */
const linesOf = (ranks: readonly RankTracks[]): readonly Line[] =>
  ranks.flatMap(({ index: rank, compute, communication }) =>
    [compute, ...communication]
      .filter(({ count }) => count > 0)
      .map((blocks) => ({
        rank,
        blocks,
        count: blocks.count,
        stretch: (index) => blockAt(blocks, index),
        chosen(index) {
          const { lane, span, collective } = blockAt(blocks, index);
          return { kind: 'span', at: { rank, lane, span, collective } };
        },
      })),
  );

function indexIn({ rank, blocks }: Line, at: SpanAt): number {
  if (rank !== at.rank) return -1;
  for (let i = 0; i < blocks.count; i++) if (blocks.lane[i] === at.lane && blocks.span[i] === at.span) return i;
  return -1;
}

/** `stretch`: the selection's time. Undefined at the end of a line and at the last line. */
export function moveFound(
  ranks: readonly RankTracks[],
  from: FoundAt | undefined,
  stretch: Interval | undefined,
  direction: LaneDirection,
): FoundAt | undefined {
  const lines = linesOf(ranks);
  if (!from || !stretch) return lines[0]?.chosen(0);
  const us = (stretch.startUs + stretch.endUs) / 2;
  const drawn = from.kind === 'span' ? lines.findIndex((line) => indexIn(line, from.at) >= 0) : -1;
  const rank = rankIndexOf(from);
  const lane = drawn >= 0 ? drawn : lines.findIndex((line) => line.rank === rank);
  const line = lines[lane];
  if (!line) return undefined;
  const index = drawn >= 0 && from.kind === 'span' ? indexIn(line, from.at) : indexAt(line, us);
  return moveAlong(lines, { lane, index, us }, direction);
}

export const rankIndexOf = (found: FoundAt): number => (found.kind === 'span' ? found.at.rank : found.rank);

export const sameFound = (a: FoundAt | undefined, b: FoundAt | undefined): boolean => {
  if (!a || !b) return a === b;
  return foundId(a) === foundId(b);
};

export function foundId(found: FoundAt): string {
  if (found.kind === 'span') return spanId(found.at);
  return found.kind === 'idle'
    ? `idle ${found.rank} ${found.gap.startUs}`
    : `crowd ${found.rank} ${found.stretch.startUs} ${found.count}`;
}
