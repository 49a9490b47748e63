/** Sentences about the messages of collectives: which part of which bucket, and of how many ranks it is the sum. */
import { expect, test } from 'vitest';
import type { CollectiveRef } from '../protocol/trace';
import { makeTrace, slice, transfer } from './testing/make-trace';
import { hop, ranks, said } from './testing/told-trace';

test('a ring hop says which chunk, and of how many ranks it makes the sum', () => {
  const trace = makeTrace([
    ...ranks,
    ...transfer([10, 11], 1, 2, {
      slice: slice('bucket1', 9, 3),
      bucket: 1,
      rank: 1,
      us: [20, 21],
      apply: 'add',
      collective: hop('reduce-scatter', 3),
    }),
    ...transfer([12, 13], 1, 2, {
      slice: slice('bucket1', 9, 3),
      bucket: 1,
      rank: 1,
      us: [21, 22],
      collective: hop('all-gather', 4),
    }),
  ]);
  expect(said(trace).slice(4)).toEqual([
    'Rank 1 sends chunk 3 of bucket 1 to rank 2: the sum of 2 of 4 ranks',
    'Rank 2 adds chunk 3 of bucket 1 from rank 1: now the sum of 3 of 4 ranks',
    'Rank 1 sends chunk 3 of bucket 1 to rank 2: the mean gradient over all 4 ranks',
    'Rank 2 takes chunk 3 of bucket 1 from rank 1: the mean gradient, the same on every rank',
  ]);
});

test('a tree goes up and down, and what a rank sends up is what came to it', () => {
  const up = (
    from: number,
    to: number,
    summed: number,
    ids: readonly [number, number],
    us: readonly [number, number],
  ) =>
    transfer(ids, from, to, {
      slice: slice('bucket0', 0, 9),
      us,
      apply: 'add',
      collective: { seq: 0, op: 'allReduce', algorithm: 'tree', part: 'reduce-scatter', bucket: 0, chunks: 1, summed },
    });
  const trace = makeTrace([
    ...ranks,
    ...up(1, 2, 2, [10, 11], [10, 11]),
    ...up(3, 2, 3, [12, 13], [11, 12]),
    ...up(2, 0, 4, [14, 15], [13, 14]),
    ...transfer([16, 17], 0, 2, {
      slice: slice('bucket0', 0, 9),
      us: [15, 16],
      collective: { seq: 0, op: 'allReduce', algorithm: 'tree', part: 'all-gather', bucket: 0, chunks: 1, summed: 4 },
    }),
  ]);
  expect(said(trace).filter((sentence) => sentence.includes('sends'))).toEqual([
    'Rank 1 sends bucket 0 up the tree to rank 2: its own gradients',
    'Rank 3 sends bucket 0 up the tree to rank 2: its own gradients',
    'Rank 2 sends bucket 0 up the tree to rank 0: the sum of 3 of 4 ranks',
    'Rank 0 sends bucket 0 down the tree to rank 2: the mean gradient over all 4 ranks',
  ]);
});

test('the naive all-reduce moves whole buckets', () => {
  const naive = (part: CollectiveRef['part'], summed: number) => hop(part, summed, { algorithm: 'naive' });
  const trace = makeTrace([
    ...ranks,
    ...transfer([10, 11], 2, 0, {
      slice: slice('bucket1', 0, 9),
      us: [20, 21],
      apply: 'add',
      collective: naive('reduce-scatter', 3),
    }),
    ...transfer([12, 13], 0, 2, { slice: slice('bucket1', 0, 9), us: [21, 22], collective: naive('all-gather', 4) }),
  ]);
  expect(said(trace).slice(4)).toEqual([
    'Rank 2 sends all of bucket 1 to rank 0',
    'Rank 0 adds bucket 1 from rank 2: now the sum of 3 of 4 ranks',
    'Rank 0 sends bucket 1 to rank 2: the mean gradient over all 4 ranks',
    'Rank 2 takes bucket 1 from rank 0: the mean gradient, the same on every rank',
  ]);
});

test('a message of SyncBatchNorm says of how many ranks it carries the sums, in each half of the all-reduce', () => {
  const message = (id: number, part: 'reduce-scatter' | 'all-gather', summed: number) =>
    transfer([id, id + 1], 1, 0, {
      slice: slice('1.sums', 0, 1),
      rank: 1,
      phase: 'backward',
      module: '1',
      collective: { seq: 0, op: 'allReduce', algorithm: 'ring', part, summed, chunk: 0, chunks: 4 },
    });
  const trace = makeTrace([
    ...ranks,
    ...message(10, 'reduce-scatter', 2),
    ...message(12, 'reduce-scatter', 4),
    ...message(14, 'all-gather', 4),
  ]);
  const sends = said(trace).filter((text) => / sends /.test(text));
  expect(sends.map((text) => text.replace(/^.*sum_dy_xmu of [^,:]*/, ''))).toEqual([
    ': its own sums',
    ': the sums of 3 of 4 ranks',
    ', summed over all 4 ranks',
  ]);
});
