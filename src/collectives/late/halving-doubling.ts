/**
 * Recursive halving and doubling (Rabenseifner): partners at distance N/2, N/4 ... exchange halves of their remaining
 * stretch and combine them, until each rank has the full sum of its piece; then the same partners, in reverse order,
 * exchange their pieces until all ranks have everything. It sends as few bytes as the ring, in 2 log2 N rounds. If N is
 * not a power of two, ranks 2i+1 of the first pairs first send their buffers to 2i, and get the result from 2i at the
 * end. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH" (2005).
 */
import { at } from '../../base/invariant';
import type { Rank } from '../../protocol/trace';
import { barrierFrom } from '../barrier';
import type { CostRequest, NumberedCall } from '../collective';
import { type Core, coreOf, doublingRounds, halvingRounds, type PieceOf, sentInRounds } from '../halving-rounds';
import type { Hop, Round } from '../hop';
import { block, copyOwn, outputOf, partialSums, placeOwn, scaleInput } from '../local-steps';
import { algorithm, type Recipe } from '../recipe';
import { bytesOfElements, elementsOf, messageUs, type Stretch, share } from '../stretches';

const WHOLE_TIME = ' (+ 2 alpha + 2 S / beta where N is no power of two)';
const log2 = Math.log2;

/** Bytes that each rank sends in each half. */
function sentBytes(request: CostRequest, core: Core, piece: PieceOf): ReturnType<typeof sentInRounds> {
  const { halving, doubling } = sentInRounds(core, piece);
  const inBytes = (lengths: readonly number[]) => lengths.map((length) => bytesOfElements(length, request));
  return { halving: inBytes(halving), doubling: inBytes(doubling) };
}

/** Odd ranks of the pairs to their partners, or back. */
const fold = (core: Core, hop: (odd: Rank, even: Rank) => Hop): Round => core.folded.map((odd) => hop(odd, odd - 1));
const roundsIf = (round: Round): readonly Round[] => (round.length > 0 ? [round] : []);

/** Piece s of the buffer, whose sum survivor s gets. */
const pieces = (core: Core, length: number) => (s: number) => share({ offset: 0, length }, core.survivors.length, s);
/** The blocks of the ranks that survivor s represents. */
const blocksOf =
  (core: Core, length: number) =>
  (s: number): Stretch => {
    const rank = at(core.survivors, s);
    return { offset: rank * length, length: (core.folded.includes(rank + 1) ? 2 : 1) * length };
  };

const allReduce: Recipe = {
  emit({ group, input, length }, run) {
    const core = coreOf(group.ranks.length);
    const whole = { source: { buffer: input, offset: 0, length }, chunk: 0, chunks: core.survivors.length };
    const piece = pieces(core, length);
    run([
      ...roundsIf(fold(core, (from, to) => ({ ...whole, from, to, joins: true, summed: 2 }))),
      ...halvingRounds(core, input, piece),
      ...doublingRounds(core, input, piece, group.ranks.length),
      ...roundsIf(fold(core, (to, from) => ({ ...whole, from, to, summed: group.ranks.length }))),
    ]);
  },
  cost(request) {
    const { bytes, worldSize: n } = request;
    const core = coreOf(n);
    const sent = sentBytes(request, core, pieces(core, elementsOf(request)));
    return {
      rounds: 2 * log2(core.survivors.length) + (core.folded.length > 0 ? 2 : 0),
      bytesSent: sent.halving.map((own, rank) => {
        if (core.folded.includes(rank)) return bytes;
        return own + at(sent.doubling, rank) + (core.folded.includes(rank + 1) ? bytes : 0);
      }),
      formula: {
        bytes: '2 (N-1)/N S (N a power of two)',
        time: `2 log2 N alpha + 2 (N-1)/N S / beta${WHOLE_TIME}`,
      },
    };
  },
  timeUs: (request, link) => 2 * halfUs(request, link) + foldUs(request, 2 * request.bytes, 2, link),
};

type Link = Parameters<Recipe['timeUs']>[1];

/** One half among P = 2^floor(log2 N) ranks: log2 P rounds, (P-1)/P of S. */
function halfUs({ bytes, worldSize }: CostRequest, link: Link): number {
  const p = coreOf(worldSize).survivors.length;
  return log2(p) * link.latencyUs + messageUs((bytes * (p - 1)) / p, { ...link, latencyUs: 0 });
}

function foldUs({ worldSize }: CostRequest, bytes: number, messages: number, link: Link): number {
  if (coreOf(worldSize).folded.length === 0) return 0;
  return messages * link.latencyUs + messageUs(bytes, { ...link, latencyUs: 0 });
}

const reduceScatter: Recipe = {
  emit(call, run) {
    const { group, length } = call;
    const core = coreOf(group.ranks.length);
    const own = length / group.ranks.length;
    const buffer = partialSums(call);
    const source = { buffer, offset: 0, length };
    if (call.reduceOp === 'avg') scaleInput(call, buffer);
    run([
      ...roundsIf(fold(core, (from, to) => ({ from, to, source, joins: true, summed: 2 }))),
      ...halvingRounds(core, buffer, blocksOf(core, own)),
      ...roundsIf(fold(core, (to, from) => ({ from, to, source: block(buffer, own, to), summed: group.ranks.length }))),
    ]);
    for (const rank of group.ranks.keys()) copyOwn(call, rank, block(buffer, own, rank), block(outputOf(call), own, 0));
  },
  cost(request) {
    const { bytes, worldSize: n } = request;
    const core = coreOf(n);
    const sent = sentBytes(request, core, blocksOf(core, elementsOf(request) / n));
    return {
      rounds: log2(core.survivors.length) + (core.folded.length > 0 ? 2 : 0),
      bytesSent: sent.halving.map((own, rank) => {
        if (core.folded.includes(rank)) return bytes;
        return own + (core.folded.includes(rank + 1) ? bytes / n : 0);
      }),
      formula: {
        bytes: '(N-1)/N S (N a power of two)',
        time: 'log2 N alpha + (N-1)/N S / beta (+ 2 alpha + (N+1)/N S / beta where N is no power of two)',
      },
    };
  },
  timeUs: (request, link) =>
    halfUs(request, link) + foldUs(request, request.bytes + request.bytes / request.worldSize, 2, link),
};

const allGather: Recipe = {
  emit(call: NumberedCall, run) {
    const { group, length } = call;
    const core = coreOf(group.ranks.length);
    const buffer = outputOf(call);
    const whole = { buffer, offset: 0, length: length * group.ranks.length };
    for (const rank of group.ranks.keys()) placeOwn(call, rank);
    run([
      ...roundsIf(fold(core, (from, to) => ({ from, to, source: block(buffer, length, from) }))),
      ...doublingRounds(core, buffer, blocksOf(core, length)),
      ...roundsIf(fold(core, (to, from) => ({ from, to, source: whole }))),
    ]);
  },
  cost(request) {
    const { bytes, worldSize: n } = request;
    const core = coreOf(n);
    const sent = sentBytes(request, core, blocksOf(core, elementsOf(request)));
    return {
      rounds: log2(core.survivors.length) + (core.folded.length > 0 ? 2 : 0),
      bytesSent: sent.doubling.map((own, rank) => {
        if (core.folded.includes(rank)) return bytes;
        return own + (core.folded.includes(rank + 1) ? n * bytes : 0);
      }),
      formula: {
        bytes: '(N-1) S (N a power of two)',
        time: 'log2 N alpha + (N-1) S / beta (+ 2 alpha + (N+1) S / beta where N is no power of two)',
      },
    };
  },
  timeUs: (request, link) => {
    const gathered = { ...request, bytes: request.bytes * request.worldSize };
    return halfUs(gathered, link) + foldUs(request, gathered.bytes + request.bytes, 2, link);
  },
};

export const ALGORITHM = algorithm('halvingDoubling', {
  allReduce,
  reduceScatter,
  allGather,
  barrier: barrierFrom(allReduce),
});
