/**
 * Each rank's parts of the collectives, found once for all ranks and steps, because searching all collectives for each
 * rank and step would be slow. Called by `analyse.ts`.
 */
import type { RecordedCollective, RecordingRank } from '../recording';

export interface OwnPart {
  readonly startUs: number;
  readonly endUs: number;
  /** When the last rank of the collective began it. */
  readonly lastUs: number;
  readonly bytes: number;
}

/** In the order of the collectives; ranks without any have no entry. */
export function ownParts(collectives: readonly RecordedCollective[]): ReadonlyMap<RecordingRank, readonly OwnPart[]> {
  const found = new Map<RecordingRank, OwnPart[]>();
  for (const { parts, bytes } of collectives) {
    const lastUs = parts.reduce((last, { startUs }) => Math.max(last, startUs), 0);
    const seen = new Set<RecordingRank>();
    for (const { rank, startUs, endUs } of parts) {
      if (seen.has(rank)) continue;
      seen.add(rank);
      const own = found.get(rank) ?? [];
      found.set(rank, own);
      own.push({ startUs, endUs, lastUs, bytes });
    }
  }
  return found;
}

/** The bytes of the parts that begin between two moments. */
export function bytesBetween(parts: readonly OwnPart[]): (fromUs: number, toUs: number) => number {
  const sorted = [...parts].sort((a, b) => a.startUs - b.startUs);
  const sums = [0];
  for (const { bytes } of sorted) sums.push((sums.at(-1) ?? 0) + bytes);
  const before = (us: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle]?.startUs ?? 0) < us) low = middle + 1;
      else high = middle;
    }
    return sums[low] ?? 0;
  };
  return (fromUs, toUs) => before(toUs) - before(fromUs);
}
