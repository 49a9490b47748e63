/**
 * The rounds of recursive halving and doubling among a power of two of ranks, and the choice of these ranks in a world
 * of another size. Survivor s ends the halving with piece s, and starts the doubling with it; pieces are in order in
 * the buffer. Called by halving-doubling.ts.
 */
import { at } from '../base/invariant';
import type { Rank, Slice } from '../protocol/trace';
import type { Hop, Round } from './hop';
import { lengthOf, type Stretch } from './stretches';

/**
 * N = P + R ranks: P survivors, a power of two, and the R odd ranks of the first pairs, which send their buffers to
 * rank - 1.
 */
export interface Core {
  readonly worldSize: number;
  readonly survivors: readonly Rank[];
  readonly folded: readonly Rank[];
}

export function coreOf(worldSize: number): Core {
  const p = 2 ** Math.floor(Math.log2(worldSize));
  const folded = Array.from({ length: worldSize - p }, (_, i) => 2 * i + 1);
  return {
    worldSize,
    survivors: Array.from({ length: worldSize }, (_, rank) => rank).filter((rank) => !folded.includes(rank)),
    folded,
  };
}

export type PieceOf = (survivor: number) => Stretch;

/** Pieces [first, first + count) as one stretch. */
function run(piece: PieceOf, first: number, count: number): Stretch {
  const last = piece(first + count - 1);
  const { offset } = piece(first);
  return { offset, length: last.offset + last.length - offset };
}

/**
 * The stretch that survivor s sends to its partner at distance d: the pieces of the partner's side of their block of
 * 2d.
 */
const given = (piece: PieceOf, s: number, d: number): Stretch => run(piece, Math.floor((s ^ d) / d) * d, d);
/** The stretch that it holds by then in doubling: its own side. */
const held = (piece: PieceOf, s: number, d: number): Stretch => run(piece, Math.floor(s / d) * d, d);

const distances = ({ survivors }: Core): readonly number[] =>
  Array.from({ length: Math.log2(survivors.length) }, (_, k) => 2 ** k);

/** The number of ranks whose values survivor s brings. */
const weight = ({ survivors, folded }: Core, s: number): number => (folded.includes(at(survivors, s) + 1) ? 2 : 1);

export function halvingRounds(core: Core, buffer: string, piece: PieceOf): readonly Round[] {
  const p = core.survivors.length;
  return [...distances(core)].reverse().map((d) =>
    core.survivors.map((from, s): Hop => {
      const partner = s ^ d;
      // Survivors combined so far: those that differ from the receiver only in the bits from d on.
      const joined = [...core.survivors.keys()].filter((k) => k % d === partner % d);
      return {
        ...hop(core, from, partner, { buffer, ...given(piece, s, d) }),
        joins: true,
        chunk: Math.floor(partner / d) * d,
        chunks: p,
        summed: joined.reduce((sum, k) => sum + weight(core, k), 0),
      };
    }),
  );
}

export function doublingRounds(core: Core, buffer: string, piece: PieceOf, summed?: number): readonly Round[] {
  const p = core.survivors.length;
  return distances(core).map((d) =>
    core.survivors.map(
      (from, s): Hop => ({
        ...hop(core, from, s ^ d, { buffer, ...held(piece, s, d) }),
        chunk: Math.floor(s / d) * d,
        chunks: p,
        ...(summed === undefined ? {} : { summed }),
      }),
    ),
  );
}

const hop = ({ survivors }: Core, from: Rank, partner: number, source: Slice): Hop => ({
  from,
  to: at(survivors, partner),
  source,
});

/**
 * Elements that each rank sends in a doubling; in a halving it sends the sizes of its partners' sides, which may differ
 * slightly.
 */
export function sentInRounds(
  core: Core,
  piece: PieceOf,
): { readonly halving: readonly number[]; readonly doubling: readonly number[] } {
  const by = (stretch: (s: number, d: number) => Stretch): number[] =>
    Array.from({ length: core.worldSize }, (_, rank) => {
      const s = core.survivors.indexOf(rank);
      return s < 0 ? 0 : lengthOf(distances(core).map((d) => stretch(s, d)));
    });
  return { halving: by((s, d) => given(piece, s, d)), doubling: by((s, d) => held(piece, s, d)) };
}
