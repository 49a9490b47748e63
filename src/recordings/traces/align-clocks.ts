/**
 * Brings the clocks of ranks together. A collective ends on all its ranks at nearly the same time, so the difference of
 * the ends is the difference of the clocks; and it ends on no rank before the last has begun, which bounds that
 * difference from both sides. Collectives in which ranks waited least say most: those count. Where ranks share a host,
 * or what is found is below what is left unexplained, the clocks are left as they are. Called by `join-ranks.ts`.
 */
import type { ClockOffset, Rank } from '../recording';

interface Part {
  readonly rank: Rank;
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

/** The eighth of the collectives that took least time over all ranks. */
const BEST_SHARE = 1 / 8;

/** In the order of `ranks`; the first rank's clock counts. `hosts` by rank; '' where not known. */
export function alignClocks(
  ranks: readonly Rank[],
  hosts: ReadonlyMap<Rank, string>,
  collectives: readonly { readonly parts: readonly Part[] }[],
): readonly ClockOffset[] {
  const shared = collectives.filter(({ parts }) => parts.length > 1);
  const found = new Map<Rank, ClockOffset>();
  const [first] = ranks;
  if (first !== undefined) found.set(first, still(first));
  // Ranks that share no collective with the first (other stages, other replicas) are reached by way of others.
  for (let grew = true; grew; ) {
    grew = false;
    for (const rank of ranks) {
      if (found.has(rank)) continue;
      const best = [...found.values()]
        .map((known) => ({ known, pair: pairOf(known.rank, rank, shared) }))
        .filter(({ pair }) => pair !== undefined)
        .sort((a, b) => (b.pair?.collectives ?? 0) - (a.pair?.collectives ?? 0))[0];
      if (!best?.pair) continue;
      found.set(rank, offsetOf(rank, best.known, best.pair, sameHost(hosts, rank, best.known.rank)));
      grew = true;
    }
  }
  return ranks.map((rank) => found.get(rank) ?? still(rank));
}

const still = (rank: Rank): ClockOffset => ({ rank, offsetUs: 0, residualUs: 0, appliedUs: 0, collectives: 0 });

const sameHost = (hosts: ReadonlyMap<Rank, string>, a: Rank, b: Rank): boolean =>
  (hosts.get(a) ?? '') !== '' && hosts.get(a) === hosts.get(b);

function offsetOf(rank: Rank, from: ClockOffset, pair: Pair, isSameHost: boolean): ClockOffset {
  const { offsetUs, residualUs, lowestUs, highestUs, collectives } = pair;
  const zeroFits = lowestUs <= 0 && 0 <= highestUs;
  const isNoise = zeroFits && (isSameHost || Math.abs(offsetUs) <= residualUs);
  // Bounds that exclude each other come from a clock that drifts: the offset stands then.
  const bounded = lowestUs <= highestUs ? Math.min(Math.max(offsetUs, lowestUs), highestUs) : offsetUs;
  return {
    rank,
    offsetUs: from.offsetUs + offsetUs,
    residualUs: Math.max(from.residualUs, residualUs),
    appliedUs: from.appliedUs + (isNoise ? 0 : bounded),
    collectives,
  };
}

function pairOf(a: Rank, b: Rank, collectives: readonly { readonly parts: readonly Part[] }[]): Pair | undefined {
  const both = collectives.flatMap(({ parts }) => {
    const [mine, other] = [parts.find(({ rank }) => rank === a), parts.find(({ rank }) => rank === b)];
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
