/**
 * Where the tracks of a recording lie: per rank its computation over its communication, and where it is folded out all
 * of its threads and streams below, each with a line for what is nested. Ranks grow lower as they grow more. Pure.
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

/** The name of a thread or stream that is folded out, over its tracks. */
export interface ThreadName {
  readonly text: string;
  readonly rect: Rect;
}

export interface RankRow {
  readonly tracks: RankTracks;
  readonly name: Rect;
  /** Of computation and communication: where the rank idles and where steps begin is drawn on it. */
  readonly ground: Rect;
  readonly placed: readonly PlacedTrack[];
  readonly threads: readonly ThreadName[];
}

export interface RecordedLayout extends LanesFrame {
  /** Numbers of the steps, over the first rank. */
  readonly steps: Rect;
  readonly rows: readonly RankRow[];
}

/** What is folded out of a rank. */
export interface Thread {
  readonly label: string;
  readonly rows: readonly Blocks[];
}

const STEPS = 17;
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
  const { margin, names, ...frame } = frameOf(width);
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
