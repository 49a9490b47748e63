/**
 * The layout of a recording's tracks: per rank its computation above its communication, and, if the rank is unfolded,
 * all its threads and streams below, with one line per depth of nesting. Rows get lower as the number of ranks grows.
 * Pure.
 */
import { at } from '../../../base/invariant';
import type { Rect } from '../../draw/geometry';
import { frameOf, HEAD, type LanesFrame } from '../../lanes/lanes';
import type { Blocks } from './blocks';
import type { RankTracks } from './rank-tracks';

export type TrackKind = 'compute' | 'communication' | 'thread';

export interface PlacedTrack {
  readonly key: string;
  readonly kind: TrackKind;
  readonly rect: Rect;
  readonly blocks: Blocks;
}

/** The name of an unfolded thread or stream, above its tracks. */
export interface ThreadName {
  readonly text: string;
  readonly rect: Rect;
}

export interface RankRow {
  readonly tracks: RankTracks;
  readonly name: Rect;
  /** The background of computation and communication, on which idle stretches and the starts of steps are drawn. */
  readonly ground: Rect;
  readonly placed: readonly PlacedTrack[];
  readonly threads: readonly ThreadName[];
}

export interface RecordedLayout extends LanesFrame {
  /** The place of the steps' numbers, above the first rank. */
  readonly steps: Rect;
  readonly rows: readonly RankRow[];
}

/** An unfolded thread or stream of a rank. */
export interface Thread {
  readonly label: string;
  readonly rows: readonly Blocks[];
}

const STEPS = 17;
/** On a phone, the width of the arrow beside a rank's name (fold-buttons.tsx). */
const ARROW = 14;
const SIZES = [
  { upTo: 4, compute: 24, communication: 17, gap: 10 },
  { upTo: 8, compute: 18, communication: 13, gap: 6 },
  { upTo: 16, compute: 13, communication: 11, gap: 4 },
  { upTo: Number.POSITIVE_INFINITY, compute: 9, communication: 7, gap: 2 },
];
const THREAD = { name: 15, row: 14 };

export function layoutRecorded(
  width: number,
  ranks: readonly RankTracks[],
  threadsOf: (rank: RankTracks) => readonly Thread[],
): RecordedLayout {
  const { margin, names, ...frame } = frameOf(width, ARROW);
  const size = at(
    SIZES.filter(({ upTo }) => ranks.length <= upTo),
    0,
  );
  const across = { x: frame.left, width: frame.right - frame.left };
  let y = HEAD + STEPS;
  const rows = ranks.map((tracks): RankRow => {
    const top = y;
    const placed: PlacedTrack[] = [];
    const threads: ThreadName[] = [];
    const place = (key: string, kind: TrackKind, height: number, blocks: Blocks) => {
      placed.push({ key, kind, rect: { ...across, y, height }, blocks });
      y += height + 2;
    };
    y += 1;
    place('compute', 'compute', size.compute, tracks.compute);
    tracks.communication.forEach((blocks, i) => {
      place(`communication ${i}`, 'communication', size.communication, blocks);
    });
    const ground = { ...across, y: top, height: y - top };
    for (const [i, { label, rows: nested }] of threadsOf(tracks).entries()) {
      threads.push({ text: label, rect: { ...across, y: y + 2, height: THREAD.name } });
      y += THREAD.name + 2;
      nested.forEach((blocks, depth) => {
        place(`thread ${i} ${depth}`, 'thread', THREAD.row, blocks);
      });
    }
    const name = { x: margin, y: top, width: names, height: ground.height };
    y += size.gap;
    return { tracks, name, ground, placed, threads };
  });
  return { ...frame, height: y + 4, steps: { ...across, y: HEAD, height: STEPS }, rows };
}
