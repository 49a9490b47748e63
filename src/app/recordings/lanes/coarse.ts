/**
 * The recording at the resolution of its small picture: blocks within one pixel are merged. Pure; made once per
 * recording.
 */
import { type Blocks, blockAt } from './blocks';
import type { RankTracks } from './rank-tracks';
import { type LaneTone, toneAt } from './tones';

/** The number of parts; more would be narrower than a pixel of any screen. */
const PARTS = 1200;

interface Stretch {
  readonly startUs: number;
  endUs: number;
  readonly tone: LaneTone;
}

/**
 * Merges neighbouring blocks that are less than one part apart, if they have one tone or the second is shorter than a
 * part.
 */
function coarse(blocks: Blocks, totalUs: number): readonly Stretch[] {
  const found: Stretch[] = [];
  for (let index = 0; index < blocks.count; index++) {
    const { startUs, endUs, tone } = blockAt(blocks, index);
    const last = found.at(-1);
    const near = last && startUs - last.endUs < totalUs / PARTS;
    if (near && (last.tone === toneAt(tone) || endUs - startUs < totalUs / PARTS))
      last.endUs = Math.max(last.endUs, endUs);
    else found.push({ startUs, endUs, tone: toneAt(tone) });
  }
  return found;
}

export interface CoarseRank {
  readonly compute: readonly Stretch[];
  readonly communication: readonly Stretch[];
}

export const coarseRanks = (ranks: readonly RankTracks[], totalUs: number): readonly CoarseRank[] =>
  ranks.map(({ compute, communication }) => ({
    compute: coarse(compute, totalUs),
    communication: communication.flatMap((blocks) => coarse(blocks, totalUs)),
  }));
