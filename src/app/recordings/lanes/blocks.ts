/**
 * The blocks of a track, which is one line of a recorded timeline. Blocks are in order and do not overlap, so binary
 * search finds the blocks in view, even among half a million. Stored as columns, as in the recording. Pure.
 */
import type { Interval } from '../../../trace/intervals';

export interface Blocks {
  readonly count: number;
  readonly startUs: Float64Array;
  readonly endUs: Float64Array;
  /** The block's span, by lane and index. */
  readonly lane: Uint32Array;
  readonly span: Uint32Array;
  /** Index into TONES. */
  readonly tone: Uint8Array;
  /** Index into the recording's collectives; -1: not a collective. */
  readonly collective: Int32Array;
}

export interface LaneBlock extends Interval {
  readonly lane: number;
  readonly span: number;
  readonly tone: number;
  readonly collective: number;
}

/** Makes the columns from blocks in order of start that do not overlap. */
export function blocksOf(list: readonly LaneBlock[]): Blocks {
  return {
    count: list.length,
    startUs: Float64Array.from(list, (block) => block.startUs),
    endUs: Float64Array.from(list, (block) => block.endUs),
    lane: Uint32Array.from(list, (block) => block.lane),
    span: Uint32Array.from(list, (block) => block.span),
    tone: Uint8Array.from(list, (block) => block.tone),
    collective: Int32Array.from(list, (block) => block.collective),
  };
}

/** Empty columns, to be filled. */
export const emptyBlocks = (count: number): Blocks => ({
  count,
  startUs: new Float64Array(count),
  endUs: new Float64Array(count),
  lane: new Uint32Array(count),
  span: new Uint32Array(count),
  tone: new Uint8Array(count),
  collective: new Int32Array(count),
});

export const blockAt = (blocks: Blocks, index: number): LaneBlock => ({
  startUs: blocks.startUs[index] ?? 0,
  endUs: blocks.endUs[index] ?? 0,
  lane: blocks.lane[index] ?? 0,
  span: blocks.span[index] ?? 0,
  tone: blocks.tone[index] ?? 0,
  collective: blocks.collective[index] ?? -1,
});

/** The first index whose value is above a limit; the values must be ascending. */
export function firstBeyond(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The range of blocks that overlap a stretch of time: first index, and end index (exclusive). */
export const inView = ({ startUs, endUs }: Blocks, from: number, to: number): readonly [first: number, end: number] => [
  firstBeyond(endUs, from),
  firstBeyond(startUs, to),
];

/**
 * Distributes blocks, in order of start, over as many tracks as are needed so that none overlap; a block that fits on
 * none of `most` tracks goes to the last, cut to begin where the block before it ends.
 */
export function stacked(list: readonly LaneBlock[], most: number): readonly (readonly LaneBlock[])[] {
  const tracks: LaneBlock[][] = [];
  for (const block of list) {
    const free = tracks.find((track) => (track.at(-1)?.endUs ?? Number.NEGATIVE_INFINITY) <= block.startUs);
    if (free) free.push(block);
    else if (tracks.length < most) tracks.push([block]);
    else {
      const last = tracks[most - 1];
      const startUs = last?.at(-1)?.endUs ?? block.startUs;
      if (block.endUs > startUs) last?.push({ ...block, startUs });
    }
  }
  return tracks;
}
