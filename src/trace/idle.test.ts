/** Busy, hidden, exposed and idle time of steps small enough to add up by hand. */
import { expect, test } from 'vitest';
import { busySpans, idleIntervals, timeUse, whyIdle } from './idle';
import { joined } from './intervals';
import { makeTrace, slice, transfer } from './testing/make-trace';

/** cuda:0 computes 0..10 and sends 6..14; cuda:1 takes it from 6, then computes 15..20. */
const step = makeTrace([
  { id: 0, us: [0, 10] },
  ...transfer([1, 2], 0, 1, { slice: slice('3.out', 0, 4), payload: 'activation', us: [6, 14], recvUs: [2, 15] }),
  { id: 3, device: 1, us: [15, 20], deps: [2] },
]);

test('times add up, and waiting before a message is sent is idle time', () => {
  expect(timeUse(step, 'modelled', 0)).toEqual({
    device: 0,
    computeUs: 10,
    commUs: 8,
    overlapUs: 4,
    exposedUs: 4,
    idleUs: 6,
    doneUs: 6,
    totalUs: 20,
    overlap: 0.5,
    idle: 0.3,
  });
  expect(timeUse(step, 'modelled', 1)).toMatchObject({
    computeUs: 5,
    commUs: 9,
    overlapUs: 0,
    idleUs: 6,
    doneUs: 0,
    overlap: 0,
  });
  expect(timeUse(step, 'measured', 0)).toMatchObject({ computeUs: 100, commUs: 80, totalUs: 200, idle: 0.3 });
  expect(idleIntervals(step, 'modelled', 0)).toEqual([{ startUs: 14, endUs: 20 }]);
  expect(idleIntervals(step, 'modelled', 1)).toEqual([{ startUs: 0, endUs: 6 }]);
  expect(busySpans(step, 'modelled')[2]).toEqual({ startUs: 6, endUs: 15 });
});

test('a device that only computes has no overlap', () => {
  expect(timeUse(makeTrace([{ us: [0, 4] }]), 'modelled', 0)).toMatchObject({ overlap: undefined, idle: 0 });
  expect(timeUse(makeTrace([]), 'modelled', 0)).toMatchObject({ idle: 0, totalUs: 0 });
});

test('says what a device waits for, and nothing while it is busy', () => {
  expect(whyIdle(step, 'modelled', 1, 3)).toBe('cuda:1 waits for the output of layer 3 from cuda:0');
  expect(whyIdle(step, 'modelled', 0, 15)).toBe('cuda:0 has done its part of the step');
  expect(whyIdle(step, 'modelled', 0, 5)).toBeUndefined();
  expect(whyIdle(step, 'modelled', 1, 10)).toBeUndefined();
  expect(whyIdle(step, 'modelled', 1, 20)).toBeUndefined();
  expect(whyIdle(step, 'modelled', 2, 3)).toBe('cuda:2 has no part in this step');
});

test('names the bucket whose all-reduce is waited for, and ranks where there are ranks', () => {
  const ddp = makeTrace([
    { id: 0, rank: 0, us: [0, 1] },
    { id: 1, rank: 1, device: 1, us: [0, 9] },
    ...transfer([2, 3], 1, 0, {
      rank: 1,
      slice: slice('bucket2', 0, 4),
      bucket: 2,
      collective: { seq: 2, op: 'allReduce', algorithm: 'ring', bucket: 2 },
      us: [9, 10],
    }),
    { id: 4, rank: 0, name: 'ddp/unpack', us: [10, 11], deps: [3] },
  ]);
  expect(whyIdle(ddp, 'modelled', 0, 4)).toBe("rank 0 waits for rank 1 in bucket 2's all-reduce");
});

test('on the measured clock a device that has its inputs waits for the processor', () => {
  const turns = makeTrace([
    { id: 0, device: 0, us: [0, 2] },
    { id: 1, device: 1, us: [2, 4] },
  ]);
  expect(whyIdle(turns, 'measured', 1, 5)).toBe('cuda:1 waits for its turn: here the devices share one processor');
});

test('joined intervals neither touch nor overlap', () => {
  const spans = [
    [5, 6],
    [0, 2],
    [1, 3],
    [3, 4],
    [9, 9],
  ].map(([startUs = 0, endUs = 0]) => ({ startUs, endUs }));
  expect(joined(spans)).toEqual([
    { startUs: 0, endUs: 4 },
    { startUs: 5, endUs: 6 },
  ]);
});
