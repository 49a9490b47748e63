/** Causes, waits and the critical path of steps small enough to add up by hand. */
import { describe, expect, test } from 'vitest';
import { createCauses } from './causes';
import { criticalPath } from './critical-path';
import { makeTrace, slice, transfer } from './testing/make-trace';
import { waitChain } from './wait-chain';

const chunk = slice('bucket0', 0, 4);
const ring = { seq: 0, op: 'allReduce', algorithm: 'ring' } as const;

/** cuda:0 computes 0..10 and sends 10..14, which arrives at 15; cuda:1 computes 0..4, then from 15 to 20. */
const step = makeTrace([
  { id: 0, us: [0, 10] },
  { id: 1, device: 1, us: [0, 4] },
  ...transfer([2, 3], 0, 1, { slice: chunk, deps: [0], us: [10, 14], recvUs: [10, 15] }),
  { id: 4, device: 1, us: [15, 20], deps: [3] },
]);

test('an event is held up by whichever of its inputs is ready last', () => {
  const causes = createCauses(step, 'modelled');
  expect([0, 1].map(causes.heldBy)).toEqual([undefined, undefined]);
  expect(causes.heldBy(2)).toEqual({ event: 0, by: 'data', releasedUs: 10 });
  expect(causes.heldBy(3)).toEqual({ event: 2, by: 'message', releasedUs: 14 });
  expect(causes.heldBy(4)).toEqual({ event: 3, by: 'data', releasedUs: 15 });
  expect(causes.waitedUs(4)).toBe(11);
  expect(causes.neededBy(2)).toEqual([3]);
  expect([0, 1, 2, 3, 4].map(causes.heldUp)).toEqual([[2], [], [3], [4], []]);
  expect(causes.needs(4)).toEqual([3]);
});

test('a message that arrived before its receiver was ready does not hold it up', () => {
  const early = makeTrace([
    { id: 0, device: 1, queue: 'comm', us: [0, 9] },
    ...transfer([1, 2], 0, 1, { slice: chunk, us: [0, 3], recvUs: [9, 9] }),
  ]);
  expect(createCauses(early, 'modelled').heldBy(2)).toMatchObject({ event: 0, by: 'queue' });
});

test('a send whose receiver is busy with another message waits for that port', () => {
  const gather = makeTrace([
    ...transfer([0, 1], 1, 0, { slice: chunk, us: [0, 6], recvUs: [0, 7] }),
    ...transfer([2, 3], 2, 0, { slice: chunk, us: [6, 12], recvUs: [7, 13] }),
  ]);
  const causes = createCauses(gather, 'modelled');
  expect(causes.heldBy(2)).toEqual({ event: 0, by: 'port', releasedUs: 6 });
  expect(criticalPath(causes)).toMatchObject({ events: [0, 2, 3], messageUs: 13, waitsUs: 0, totalUs: 13 });
});

describe('the critical path', () => {
  test('crosses to the device that was waited for and adds up', () => {
    const path = criticalPath(createCauses(step, 'modelled'));
    expect(path.parts).toEqual([
      { event: 0, kind: 'compute', startUs: 0, endUs: 10 },
      { event: 2, kind: 'message', startUs: 10, endUs: 14 },
      { event: 3, kind: 'message', startUs: 14, endUs: 15 },
      { event: 4, kind: 'compute', startUs: 15, endUs: 20 },
    ]);
    expect(path).toMatchObject({ totalUs: 20, computeUs: 15, messageUs: 5, waitsUs: 0 });
  });

  test('a time in which everything was ready and nothing began is a wait', () => {
    const late = makeTrace([
      { id: 0, us: [1, 4] },
      { id: 1, us: [6, 9], deps: [0] },
    ]);
    expect(criticalPath(createCauses(late, 'modelled')).parts).toEqual([
      { event: 0, kind: 'waits', startUs: 0, endUs: 1 },
      { event: 0, kind: 'compute', startUs: 1, endUs: 4 },
      { event: 1, kind: 'waits', startUs: 4, endUs: 6 },
      { event: 1, kind: 'compute', startUs: 6, endUs: 9 },
    ]);
  });

  test('is empty for an empty step', () => {
    expect(criticalPath(createCauses(makeTrace([]), 'modelled'))).toMatchObject({ parts: [], totalUs: 0 });
  });
});

describe('a chain of waits', () => {
  /** cuda:2 takes 4 longer for layer 4; cuda:1 waits for it and sends on late, so cuda:0 waits for cuda:1. */
  const work = (id: number, device: number, us: readonly [number, number], module: string) => ({
    id,
    device,
    rank: device,
    us,
    module,
    phase: 'backward' as const,
  });
  const late = makeTrace([
    work(0, 0, [0, 5], '4'),
    work(1, 1, [0, 5], '4'),
    work(2, 2, [0, 9], '4'),
    ...transfer([3, 4], 2, 1, { slice: chunk, collective: ring, deps: [2], us: [9, 11], recvUs: [9, 12] }),
    ...transfer([5, 6], 1, 0, { slice: chunk, collective: ring, us: [12, 14], recvUs: [12, 15] }),
  ]);

  test('leads from rank to rank to the work that took longer', () => {
    expect(waitChain(createCauses(late, 'modelled'), 6)).toEqual({
      event: 6,
      hops: [
        { recv: 6, send: 5, waitedUs: 12 },
        { recv: 4, send: 3, waitedUs: 9 },
      ],
      cause: 2,
      lateUs: 4,
      most: { phase: 'backward', module: '4', event: 2, longerUs: 4 },
      slower: 9 / 5,
    });
  });

  test('is empty for an event that waited for no other device', () => {
    expect(waitChain(createCauses(late, 'modelled'), 2)).toMatchObject({ hops: [], cause: undefined });
    expect(waitChain(createCauses(late, 'modelled'), 3)).toMatchObject({ hops: [], cause: 2 });
  });
});
