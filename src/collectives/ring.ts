/**
 * Ring: a reduce-scatter around the ring, then an all-gather around the ring. It has 2(N-1) rounds; each rank sends
 * 2(N-1)/N of the buffer, the minimum, but the number of rounds grows with N. Chunks and the order of summation of the
 * all-reduce are gloo's: chunk c has 2*ceil(n / 2N) elements and is summed as x[c-1] + x[c-2] + ... + x[c] (indices mod
 * N), so sums equal gloo's bit for bit. Rank r therefore sends to r-1. Source: gloo's allreduce_ring_chunked; cost:
 * Patarasu & Yuan, "Bandwidth optimal all-reduce algorithms" (2009).
 */
import { at } from '../base/invariant';
import type { Slice } from '../protocol/trace';
import type { HalfFormat } from '../tensor/half-bits';
import { barrierFrom } from './barrier';
import { block, copyOwn, outputOf, partialSums, placeOwn, scaleInput } from './local-steps';
import { algorithm, type Recipe } from './recipe';
import { chainBroadcast, chainReduce } from './ring-chain';
import { allGatherChunk, allGatherRounds, reduceScatterChunk, reduceScatterRounds } from './ring-rounds';
import { bytesOfElements, elementsOf, lengthOf, messageUs } from './stretches';

/** gloo's chunks are whole pairs of elements; a word of halves is already a pair. */
const grainOf = (halves: HalfFormat | undefined): number => (halves ? 1 : 2);

/** The stretch of chunk c, in whole grains; length 0 when the buffer is too short to fill it. */
export function chunkSlice(buffer: string, length: number, worldSize: number, chunk: number, grain = 2): Slice {
  const size = grain * Math.ceil(length / (grain * worldSize));
  const offset = Math.min(length, chunk * size);
  return { buffer, offset, length: Math.min(size, length - offset) };
}

const allReduce: Recipe = {
  emit({ group, input, length, halves }, run) {
    const n = group.ranks.length;
    const chunk = (c: number) => chunkSlice(input, length, n, c, grainOf(halves));
    const ring = { members: [...group.ranks.keys()], chunk };
    run([...reduceScatterRounds(ring), ...allGatherRounds(ring, n)]);
  },
  cost(request) {
    const n = request.worldSize;
    const chunks = Array.from({ length: n }, (_, c) =>
      chunkSlice('', elementsOf(request), n, c, grainOf(request.halves)),
    );
    const sentBy = (r: number): number =>
      lengthOf(
        chunks
          .slice(1)
          .flatMap((_, round) => [
            at(chunks, reduceScatterChunk(r, round, n)),
            at(chunks, allGatherChunk(r, round, n)),
          ]),
      );
    return {
      rounds: 2 * (n - 1),
      bytesSent: chunks.map((_, r) => bytesOfElements(sentBy(r), request)),
      formula: { bytes: '2 (N-1)/N S', time: '2 (N-1) (alpha + S / (N beta))' },
    };
  },
  timeUs: ({ bytes, worldSize: n }, link) => 2 * (n - 1) * messageUs(bytes / n, link),
};

const reduceScatter: Recipe = {
  emit(call, run) {
    const { group, length } = call;
    const n = group.ranks.length;
    const own = length / n;
    const buffer = partialSums(call);
    if (call.reduceOp === 'avg') scaleInput(call, buffer);
    run(reduceScatterRounds({ members: [...group.ranks.keys()], chunk: (c) => block(buffer, own, c) }));
    for (const rank of group.ranks.keys()) copyOwn(call, rank, block(buffer, own, rank), block(outputOf(call), own, 0));
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: n - 1,
    bytesSent: Array.from({ length: n }, () => ((n - 1) * bytes) / n),
    formula: { bytes: '(N-1)/N S', time: '(N-1) (alpha + S / (N beta))' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => (n - 1) * messageUs(bytes / n, link),
};

const allGather: Recipe = {
  emit(call, run) {
    const { group, length } = call;
    const output = outputOf(call);
    for (const rank of group.ranks.keys()) placeOwn(call, rank);
    run(allGatherRounds({ members: [...group.ranks.keys()], chunk: (c) => block(output, length, c) }));
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: n - 1,
    bytesSent: Array.from({ length: n }, () => (n - 1) * bytes),
    formula: { bytes: '(N-1) S', time: '(N-1) (alpha + S / beta)' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => (n - 1) * messageUs(bytes, link),
};

export const ring = algorithm('ring', {
  allReduce,
  reduceScatter,
  allGather,
  broadcast: chainBroadcast,
  reduce: chainReduce,
  barrier: barrierFrom(allReduce),
});
