/**
 * Ring all-reduce: a reduce-scatter round the ring, then an all-gather round the ring; 2(N-1) rounds, each rank sends 2(N-1)/N of the
 * buffer. Chunks and the order of summation are gloo's: chunk c has 2*ceil(n / 2N) elements and is folded
 * x[c-1] + x[c-2] + ... + x[c] (indices mod N), so that sums are gloo's bit for bit. Rank r therefore sends to r-1.
 * Source: gloo's allreduce_ring_chunked; cost: Patarasu & Yuan, "Bandwidth optimal all-reduce algorithms" (2009).
 */
import { at } from '../base/invariant';
import type { ProgramBuilder } from '../program/builder';
import type { CollectiveRef, Slice } from '../protocol/trace';
import type { Algorithm, CollectiveCall } from './collective';

/** The stretch of chunk c; length 0 when the buffer is too short to fill it. */
export function chunkSlice(buffer: string, length: number, worldSize: number, chunk: number): Slice {
  const size = 2 * Math.ceil(length / (2 * worldSize));
  const offset = Math.min(length, chunk * size);
  return { buffer, offset, length: Math.min(size, length - offset) };
}

const mod = (a: number, n: number): number => ((a % n) + n) % n;

/** Which chunk rank r sends in a round of each half. */
export const reduceScatterChunk = (rank: number, round: number, n: number): number => mod(rank + 1 + round, n);
export const allGatherChunk = (rank: number, round: number, n: number): number => mod(rank + round, n);

export const ring: Algorithm = {
  name: 'ring',
  ops: ['allReduce'],

  emit(call) {
    const n = call.group.length;
    for (let round = 0; round < n - 1; round++) {
      call.builder.exchange(
        call.group.flatMap((_, r) => hop(call, r, reduceScatterChunk(r, round, n), 'reduce-scatter', round)),
      );
    }
    for (let round = 0; round < n - 1; round++) {
      call.builder.exchange(
        call.group.flatMap((_, r) => hop(call, r, allGatherChunk(r, round, n), 'all-gather', round)),
      );
    }
  },

  cost({ bytes, worldSize: n }) {
    const length = bytes / 4;
    const chunk = (c: number) => 4 * chunkSlice('', length, n, c).length;
    const sentBy = (r: number): number => {
      let sum = 0;
      for (let round = 0; round < n - 1; round++)
        sum += chunk(reduceScatterChunk(r, round, n)) + chunk(allGatherChunk(r, round, n));
      return sum;
    };
    return {
      rounds: 2 * (n - 1),
      bytesSent: Array.from({ length: n }, (_, r) => sentBy(r)),
      formula: { bytes: '2 (N-1)/N S', time: '2 (N-1) (alpha + S / (N beta))' },
    };
  },
  timeUs: ({ bytes, worldSize: n }, { latencyUs, bytesPerSecond }) =>
    2 * (n - 1) * (latencyUs + (1e6 * bytes) / (n * bytesPerSecond)),
};

/** Rank r hands `chunk` to rank r-1, which adds it (reduce-scatter) or puts it in place (all-gather). */
function hop(
  call: CollectiveCall,
  r: number,
  chunk: number,
  part: 'reduce-scatter' | 'all-gather',
  round: number,
): Parameters<ProgramBuilder['exchange']>[0] {
  const n = call.group.length;
  const slice = chunkSlice(call.input, call.length, n, chunk);
  if (slice.length === 0) return [];
  const collective: CollectiveRef = {
    seq: call.seq,
    op: 'allReduce',
    algorithm: 'ring',
    part,
    chunk,
    chunks: n,
    round: part === 'reduce-scatter' ? round : n - 1 + round,
    rounds: 2 * (n - 1),
    summed: part === 'reduce-scatter' ? round + 2 : n,
    ...(call.bucket === undefined ? {} : { bucket: call.bucket }),
  };
  return [
    {
      from: { device: at(call.group, r), slice, where: call.where },
      to: { device: at(call.group, mod(r - 1, n)), slice, where: call.where },
      what: {
        name: `${call.input}.${part}${round}.c${chunk}`,
        payload: call.payload,
        apply: part === 'reduce-scatter' ? 'add' : 'put',
        collective,
      },
    },
  ];
}
