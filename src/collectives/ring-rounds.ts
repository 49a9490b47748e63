/**
 * The two halves of a ring, for any list of ranks: in a reduce-scatter each chunk goes around once and is combined at
 * every member, in an all-gather it goes around once and is copied. Member i sends to member i-1, so that chunk c is
 * summed as x[c-1] + x[c-2] + ... + x[c], as in gloo, and member c ends up with the sum. Called by ring.ts and
 * hierarchical.ts.
 */
import { at } from '../base/invariant';
import type { Rank, Slice } from '../protocol/trace';
import type { Hop, Round } from './hop';
import { mod } from './stretches';

export interface RingOf {
  readonly members: readonly Rank[];
  /** The stretch of chunk c, one per member; may be empty. */
  readonly chunk: (c: number) => Slice;
  /** The number of ranks whose values each member brings. Default 1. */
  readonly weights?: readonly number[];
  /** Number of the first chunk among `chunks`, for display. */
  readonly firstChunk?: number;
  readonly chunks?: number;
}

/** The chunk that member r sends in a round of each half. */
export const reduceScatterChunk = (r: number, round: number, n: number): number => mod(r + 1 + round, n);
export const allGatherChunk = (r: number, round: number, n: number): number => mod(r + round, n);

export function reduceScatterRounds(ring: RingOf): readonly Round[] {
  const n = ring.members.length;
  /** By chunk: the number of ranks whose values its last member has sent on. */
  const summed = ring.members.map((_, c) => ring.weights?.[mod(c - 1, n)] ?? 1);
  return rounds(ring, reduceScatterChunk, (c, round) => {
    // Members c-1, c-2, ... have added their values; rounds are in order, and each round has every chunk.
    summed[c] = at(summed, c) + (ring.weights?.[mod(c - 2 - round, n)] ?? 1);
    return { joins: true, summed: at(summed, c) };
  });
}

/** `summed`: number of ranks whose sum the chunks hold, if they hold a sum. */
export function allGatherRounds(ring: RingOf, summed?: number): readonly Round[] {
  return rounds(ring, allGatherChunk, () => (summed === undefined ? {} : { summed }));
}

function rounds(
  { members, chunk, firstChunk = 0, chunks = members.length }: RingOf,
  chunkOf: (r: number, round: number, n: number) => number,
  more: (c: number, round: number) => Pick<Hop, 'joins' | 'summed'>,
): readonly Round[] {
  const n = members.length;
  return Array.from({ length: Math.max(0, n - 1) }, (_, round) =>
    members.map((from, r): Hop => {
      const c = chunkOf(r, round, n);
      return {
        from,
        to: at(members, mod(r - 1, n)),
        source: chunk(c),
        chunk: firstChunk + c,
        chunks,
        ...more(c, round),
      };
    }),
  );
}
