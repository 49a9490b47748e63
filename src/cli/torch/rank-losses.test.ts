/** Arriving losses of several ranks become records of micro-batches. */
import { expect, test } from 'vitest';
import type { LossRecord } from '../../protocol/trace';
import { RankLosses } from './rank-losses';

/** `seconds`: the time of reading; left out: immediately. */
type Told = readonly [rank: number, microBatch: number, loss: number | null, seconds?: number];

function given(processes: number, accumulate: number, ...told: readonly Told[]) {
  const records: LossRecord[] = [];
  let now = 0;
  const losses = new RankLosses({ processes, accumulate, give: (record) => records.push(record), now: () => now });
  const counts = told.map(([rank, microBatch, loss, seconds]) => {
    now = seconds === undefined ? now : 1000 * seconds;
    losses.take({ rank, step: microBatch, microBatch, epoch: 0, loss });
    return records.length;
  });
  losses.flush();
  return { records, counts, ranks: records.map(({ perRank }) => perRank.length) };
}

test('a micro-batch is complete when all ranks have reported it, in any order', () => {
  const { records, counts } = given(2, 1, [1, 0, 3], [0, 0, 1], [1, 1, 5], [0, 1, 7], [0, 2, 1], [1, 2, 1]);
  // At first it is not known how many losses a rank has per micro-batch.
  expect(counts).toEqual([0, 0, 0, 2, 2, 3]);
  expect(records.slice(0, 2)).toMatchObject([
    { microBatch: 0, perRank: [1, 3], loss: 2 },
    { microBatch: 1, perRank: [7, 5], loss: 6 },
  ]);
});

test('a rank that is ahead within a step waits, and no rank waits for it', () => {
  const ahead = given(2, 2, [0, 0, 1], [0, 1, 1], [0, 2, 1], [1, 0, 1], [1, 1, 1], [0, 3, 1], [1, 2, 1], [1, 3, 1]);
  expect(ahead.ranks).toEqual([2, 2, 2, 2]);
});

test('no rank waits for a rank without batches, until it has batches again', () => {
  const { ranks } = given(
    2,
    1,
    ...[0, 1].flatMap((m): Told[] => [
      [0, m, 1],
      [1, m, 1],
    ]),
    ...[2, 3, 4, 5, 6].map((m): Told => [0, m, 1, m]),
    ...[7, 8].flatMap((m): Told[] => [
      [1, m, 1, m],
      [0, m, 1, m],
    ]),
  );
  expect(ranks).toEqual([2, 2, 1, 1, 1, 1, 1, 2, 2]);
});

test('of a pipeline one rank has a loss', () => {
  const { counts } = given(4, 1, ...[0, 1, 2, 3, 4].map((m): Told => [3, m, 1, m]));
  expect(counts).toEqual([0, 0, 0, 4, 5]);
});

test('the mean waits for output that is read late, because it is over all ranks', () => {
  const { ranks } = given(
    3,
    1,
    ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((m): Told[] => [
      [0, m, 1, 0.1],
      [2, m, 1, 0.1],
    ]),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((m): Told => [1, m, 1, 0.9]),
  );
  expect(ranks).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
});

test('each worker of a process reports its own loss; NaN does not enter the mean', () => {
  const { records, counts } = given(1, 1, [0, 0, 1], [0, 0, null], [0, 0, 3], [0, 1, 1], [0, 1, 1], [0, 1, 1]);
  expect(records[0]).toMatchObject({ perRank: [1, Number.NaN, 3], loss: 2 });
  expect(counts).toEqual([0, 0, 0, 1, 1, 2]);
});
