/**
 * Moves the selection of a recorded timeline by keys: along its track, to the rank above or below at the same time, and
 * for a collective from rank to rank. Pure.
 */
import type { Interval } from '../../../trace/idle';
import { type Blocks, blockAt, firstBeyond } from './blocks';
import type { RankTracks } from './rank-tracks';
import { spanId } from './recorded-scene';
import type { FoundAt, SpanAt } from './recorded-scene-types';

export type Direction = 'next' | 'previous' | 'above' | 'below';

interface Line {
  readonly rank: number;
  readonly blocks: Blocks;
}

/** The lines in order: each rank's computation, then its communication. */
const linesOf = (ranks: readonly RankTracks[]): readonly Line[] =>
  ranks.flatMap(({ index, compute, communication }) =>
    [compute, ...communication].filter(({ count }) => count > 0).map((blocks) => ({ rank: index, blocks })),
  );

const found = ({ rank, blocks }: Line, index: number): FoundAt | undefined => {
  if (index < 0 || index >= blocks.count) return undefined;
  const { lane, span, collective } = blockAt(blocks, index);
  return { kind: 'span', at: { rank, lane, span, collective } };
};

function indexIn({ rank, blocks }: Line, at: SpanAt): number {
  if (rank !== at.rank) return -1;
  for (let i = 0; i < blocks.count; i++) if (blocks.lane[i] === at.lane && blocks.span[i] === at.span) return i;
  return -1;
}

/** The block of a line at a time, or the next one. */
const atTime = ({ blocks }: Line, us: number): number => Math.min(firstBeyond(blocks.endUs, us), blocks.count - 1);

/** `stretch`: the selection's time. Undefined at the end of a line and at the last line. */
export function moveFound(
  ranks: readonly RankTracks[],
  from: FoundAt | undefined,
  stretch: Interval | undefined,
  direction: Direction,
): FoundAt | undefined {
  const lines = linesOf(ranks);
  const [first] = lines;
  if (!first) return undefined;
  if (!from || !stretch) return found(first, 0);
  const rank = from.kind === 'span' ? from.at.rank : from.rank;
  const middle = (stretch.startUs + stretch.endUs) / 2;
  const own = from.kind === 'span' ? lines.findIndex((line) => indexIn(line, from.at) >= 0) : -1;
  const place = own >= 0 ? own : lines.findIndex((line) => line.rank === rank);
  const line = lines[place];
  if (!line) return undefined;
  if (direction === 'above' || direction === 'below') {
    const other = lines[place + (direction === 'below' ? 1 : -1)];
    return other && found(other, atTime(other, middle));
  }
  const index = own >= 0 && from.kind === 'span' ? indexIn(line, from.at) : atTime(line, middle);
  return found(line, index + (direction === 'next' ? 1 : -1));
}

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
