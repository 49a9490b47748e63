/**
 * Aligns the clocks of ranks. A collective ends on all its ranks at nearly the same time, so the difference of the ends
 * is the difference of the clocks; and it ends on no rank before the last rank has begun, which bounds this difference
 * from both sides. Only the most precise collectives count, in which ranks waited least. If ranks share a host, or the
 * offset is smaller than the remaining error, the clocks are not changed. Called by `join-ranks.ts`.
 */
import type { ClockOffset, RecordingRank } from '../recording';

interface Part {
  readonly rank: RecordingRank;
  readonly startUs: number;
  readonly endUs: number;
}

interface Pair {
  readonly offsetUs: number;
  readonly residualUs: number;
  readonly lowestUs: number;
  readonly highestUs: number;
  readonly collectives: number;
}

/** The share of collectives that count: those that took the least time over all ranks. */
const BEST_SHARE = 1 / 8;

/** The offsets in the order of `ranks`, relative to the first rank's clock. `hosts`: by rank; '' if not known. */
export function alignClocks(
  ranks: readonly RecordingRank[],
  hosts: ReadonlyMap<RecordingRank, string>,
  collectives: readonly { readonly parts: readonly Part[] }[],
): readonly ClockOffset[] {
  const shared = collectives.filter(({ parts }) => parts.length > 1).map(({ parts }) => byRank(parts));
  const ownOf = new Map<RecordingRank, Map<RecordingRank, Part>[]>(ranks.map((rank) => [rank, []]));
  for (const parts of shared) for (const rank of parts.keys()) ownOf.get(rank)?.push(parts);
  const found = new Map<RecordingRank, ClockOffset>();
  const [first] = ranks;
  if (first !== undefined) found.set(first, still(first));
  // Ranks that share no collective with the first rank (other stages, other replicas) are aligned through other ranks.
  for (let grew = true; grew; ) {
    grew = false;
    for (const rank of ranks) {
      if (found.has(rank)) continue;
      const own = ownOf.get(rank) ?? [];
      const known = nearest(found, own);
      const pair = known && pairOf(known.rank, rank, own);
      if (!pair) continue;
      found.set(rank, offsetOf(rank, known, pair, sameHost(hosts, rank, known.rank)));
      grew = true;
    }
  }
  return ranks.map((rank) => found.get(rank) ?? still(rank));
}

function byRank(parts: readonly Part[]): Map<RecordingRank, Part> {
  const found = new Map<RecordingRank, Part>();
  for (const part of parts) if (!found.has(part.rank)) found.set(part.rank, part);
  return found;
}

/** Among the ranks with a known clock, the first that shares the most of these collectives. */
function nearest(
  found: ReadonlyMap<RecordingRank, ClockOffset>,
  own: readonly ReadonlyMap<RecordingRank, Part>[],
): ClockOffset | undefined {
  const counts = new Map<RecordingRank, number>();
  for (const parts of own) for (const rank of parts.keys()) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  let best: ClockOffset | undefined;
  for (const known of found.values())
    if ((counts.get(known.rank) ?? 0) > (best === undefined ? 0 : (counts.get(best.rank) ?? 0))) best = known;
  return best;
}

const still = (rank: RecordingRank): ClockOffset => ({
  rank,
  offsetUs: 0,
  residualUs: 0,
  appliedUs: 0,
  collectives: 0,
});

const sameHost = (hosts: ReadonlyMap<RecordingRank, string>, a: RecordingRank, b: RecordingRank): boolean =>
  (hosts.get(a) ?? '') !== '' && hosts.get(a) === hosts.get(b);

function offsetOf(rank: RecordingRank, from: ClockOffset, pair: Pair, isSameHost: boolean): ClockOffset {
  const { offsetUs, residualUs, lowestUs, highestUs, collectives } = pair;
  const zeroFits = lowestUs <= 0 && 0 <= highestUs;
  const isNoise = zeroFits && (isSameHost || Math.abs(offsetUs) <= residualUs);
  // Contradictory bounds come from a drifting clock; the offset is then used without bounds.
  const bounded = lowestUs <= highestUs ? Math.min(Math.max(offsetUs, lowestUs), highestUs) : offsetUs;
  return {
    rank,
    offsetUs: from.offsetUs + offsetUs,
    residualUs: Math.max(from.residualUs, residualUs),
    appliedUs: from.appliedUs + (isNoise ? 0 : bounded),
    collectives,
  };
}

function pairOf(
  a: RecordingRank,
  b: RecordingRank,
  collectives: readonly ReadonlyMap<RecordingRank, Part>[],
): Pair | undefined {
  const both = collectives.flatMap((parts) => {
    const [mine, other] = [parts.get(a), parts.get(b)];
    if (!mine || !other) return [];
    const tookUs = mine.endUs - mine.startUs + other.endUs - other.startUs;
    return [
      { apartUs: other.endUs - mine.endUs, tookUs, from: other.startUs - mine.endUs, to: other.endUs - mine.startUs },
    ];
  });
  if (both.length === 0) return undefined;
  const best = [...both].sort((x, y) => x.tookUs - y.tookUs).slice(0, Math.ceil(both.length * BEST_SHARE));
  const offsetUs = median(best.map(({ apartUs }) => apartUs));
  return {
    offsetUs,
    residualUs: median(both.map(({ apartUs }) => Math.abs(apartUs - offsetUs))),
    lowestUs: both.reduce((most, { from }) => Math.max(most, from), Number.NEGATIVE_INFINITY),
    highestUs: both.reduce((least, { to }) => Math.min(least, to), Number.POSITIVE_INFINITY),
    collectives: both.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? 0;
  return Number.isInteger(half) ? ((sorted[half - 1] ?? upper) + upper) / 2 : upper;
}
