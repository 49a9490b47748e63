/**
 * Naive all-reduce: every rank sends its whole buffer to rank 0, which adds them in rank order and sends the sum back, as a parameter
 * server does. Correct and easy to follow, kept beside the ring to be compared: rank 0 moves 2(N-1) buffers, the others wait.
 */
import { at } from '../base/invariant';
import type { CollectiveRef } from '../protocol/trace';
import type { Algorithm } from './collective';

export const naive: Algorithm = {
  name: 'naive',
  ops: ['allReduce'],

  emit({ builder, group, input: buffer, length, payload, seq, bucket, where }) {
    if (length === 0) return;
    const n = group.length;
    const root = at(group, 0);
    const slice = { buffer, offset: 0, length };
    const ref = (part: 'reduce-scatter' | 'all-gather', round: number, summed: number): CollectiveRef => ({
      seq,
      op: 'allReduce',
      algorithm: 'naive',
      part,
      chunk: 0,
      chunks: 1,
      round,
      rounds: n,
      summed,
      ...(bucket === undefined ? {} : { bucket }),
    });
    for (let r = 1; r < n; r++) {
      builder.transfer(
        { device: at(group, r), slice, where },
        { device: root, slice, where },
        { name: `${buffer}.gather${r}`, payload, apply: 'add', collective: ref('reduce-scatter', r - 1, r + 1) },
      );
    }
    for (let r = 1; r < n; r++) {
      builder.transfer(
        { device: root, slice, where },
        { device: at(group, r), slice, where },
        { name: `${buffer}.broadcast${r}`, payload, apply: 'put', collective: ref('all-gather', n - 1, n) },
      );
    }
  },

  cost: ({ bytes, worldSize: n }) => ({
    rounds: n === 1 ? 0 : 2 * (n - 1),
    bytesSent: Array.from({ length: n }, (_, r) => (n === 1 ? 0 : r === 0 ? (n - 1) * bytes : bytes)),
    formula: { bytes: 'root (N-1) S, others S', time: '2 (N-1) (alpha + S / beta)' },
  }),
  timeUs: ({ bytes, worldSize: n }, { latencyUs, bytesPerSecond }) =>
    2 * (n - 1) * (latencyUs + (1e6 * bytes) / bytesPerSecond),
};
