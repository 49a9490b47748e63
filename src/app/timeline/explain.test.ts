/** The timeline's search, selection and explanations, on steps small enough to check by hand. */
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { createCauses } from '../../trace/causes';
import { criticalPath } from '../../trace/critical-path';
import { makeTrace, slice, transfer } from '../../trace/testing/make-trace';
import type { LaneDirection } from '../lanes/move-along';
import { between, reveal, WHOLE } from '../lanes/view-window';
import { lanePartsOf } from './lane-parts';
import { searchEvents } from './search';
import { atCursor, moveSelection, type Selection } from './selection';
import { TIMELINE_KEYS } from './timeline-keys';
import { pathWords, waitedFor, whyIdleThen, whyThen } from './why-words';

const chunk = slice('bucket1', 0, 9);
const round = (index: number) => ({
  bucket: 1,
  collective: {
    seq: 0,
    op: 'allReduce',
    algorithm: 'ring',
    bucket: 1,
    chunk: 2,
    chunks: 3,
    round: index,
    rounds: 4,
  } as const,
});
const layer = (id: number, device: number, us: readonly [number, number], module = '4') => ({
  id,
  device,
  rank: device,
  us,
  module,
  phase: 'backward' as const,
});

/** Rank 2 takes 4 µs longer for layer 4, so rank 1 is late with the second round, and rank 0 waits for it. */
const late = makeTrace([
  layer(0, 0, [0, 5]),
  layer(1, 1, [0, 5]),
  layer(2, 2, [0, 9]),
  ...transfer([3, 4], 2, 1, { ...round(0), slice: chunk, rank: 2, deps: [2], us: [9, 11], recvUs: [9, 12] }),
  ...transfer([5, 6], 1, 0, { ...round(1), slice: chunk, rank: 1, us: [12, 14], recvUs: [12, 15] }),
  { ...layer(7, 0, [15, 18], '2'), deps: [6] },
]);
const causes = createCauses(late, 'modelled');

describe('why a span came when it did', () => {
  test('names the rank that it waited for, the next rank in the chain, and the work that took longer there', () => {
    expect(whyThen(causes, 6)).toEqual([
      'It waited 12 µs for rank 1, which waited for rank 2.',
      'Cause: on rank 2, backward of layer 4 took 4 µs longer.',
    ]);
  });

  test('a rank that is slow at everything is the cause as such', () => {
    const slow = makeTrace([
      layer(0, 0, [0, 4], '4'),
      layer(1, 0, [4, 8], '2'),
      layer(2, 1, [0, 6], '4'),
      layer(3, 1, [6, 12], '2'),
      ...transfer([4, 5], 1, 0, { ...round(0), slice: chunk, rank: 1, deps: [3], us: [12, 14], recvUs: [12, 15] }),
    ]);
    expect(whyThen(createCauses(slow, 'modelled'), 5)[1]).toBe(
      'Cause: rank 1 takes 1.5 times as long for the same work; it is 4 µs behind at the end of “backward of layer 2”.',
    );
  });

  test('says so where nothing was waited for', () => {
    expect(whyThen(causes, 0)).toEqual(['It starts when the step starts.']);
    expect(whyThen(causes, 3)[0]).toMatch(/^Its queue was idle for 9 µs, waiting for “backward of layer 4”/);
  });

  test('fits into a cell of the table', () => {
    expect(waitedFor(causes, 6)).toBe('send chunk 2 on rank 1, for 12 µs');
    expect(waitedFor(causes, 0)).toBe('');
  });
});

test('the critical path in words adds up', () => {
  expect(pathWords(causes, criticalPath(causes))).toMatch(
    /^12 µs of computing \+ 6 µs of messages = 18 µs, through rank 0, rank 1 and rank 2\./,
  );
});

describe('why a device is idle', () => {
  const parts = lanePartsOf(late, 'modelled', 3);

  test('the gap names the rank that it waits for, and the work that took longer there', () => {
    const gap = must(
      parts.devices[0]?.gaps.find(({ startUs }) => startUs === 5),
      'gap',
    );
    expect(whyIdleThen(causes, { of: 'device', gap })).toEqual([
      "Rank 0 waits for rank 2 in bucket 1's all-reduce.",
      'That message waited 12 µs for rank 1, which waited for rank 2.',
      'Cause: on rank 2, backward of layer 4 took 4 µs longer.',
    ]);
  });

  test('at the end there is nothing left to do', () => {
    const gap = must(parts.devices[2]?.gaps.at(-1), 'gap');
    expect(whyIdleThen(causes, { of: 'device', gap })).toEqual(['Rank 2 has done its part of the step.']);
  });

  test('communication that waits while the device computes has a stretch of its own', () => {
    const busy = makeTrace([
      layer(0, 0, [0, 20]),
      ...transfer([1, 2], 1, 0, { ...round(0), slice: chunk, rank: 1, us: [0, 2], recvUs: [0, 3] }),
      layer(3, 1, [2, 9]),
      ...transfer([4, 5], 1, 0, { ...round(1), slice: chunk, rank: 1, deps: [3], us: [9, 11], recvUs: [9, 12] }),
    ]);
    const [wait] = lanePartsOf(busy, 'modelled', 2).devices[0]?.waits ?? [];
    expect(wait).toEqual({ startUs: 3, endUs: 9, device: 0, next: 5 });
    expect(whyIdleThen(createCauses(busy, 'modelled'), { of: 'comm', wait: must(wait, 'wait') })[0]).toBe(
      'The communication of rank 0 waited 6 µs for rank 1.',
    );
  });
});

describe('search', () => {
  const found = (query: string) => searchEvents(late, query);

  test('finds by layer, rank, bucket, round, kind and kernel, and by several of these', () => {
    expect(found('layer 4')).toEqual([0, 1, 2]);
    expect(found('cuda:1')).toEqual([1, 4, 5]);
    expect(found('rank 2 send')).toEqual([3]);
    expect(found('bucket 1 round 2')).toEqual([5, 6]);
    expect(found('RECV')).toEqual([4, 6]);
    expect(found('linear')).toEqual([0, 1, 2, 7]);
    expect(found('backward layer 2')).toEqual([7]);
    expect(found('rank 12')).toEqual([]);
    expect(found('(')).toEqual([]);
  });

  test('without a word nothing is searched', () => {
    expect(found('  ')).toBeUndefined();
  });
});

describe('the selection by keys', () => {
  const parts = lanePartsOf(late, 'modelled', 3);
  const walk = (from: Selection, ...directions: readonly LaneDirection[]) =>
    directions.reduce<Selection | undefined>((now, direction) => now && moveSelection(parts, now, direction), from);
  const event = (index: number): Selection => ({ kind: 'event', event: index });

  test('goes along the lane, over the gaps too', () => {
    expect(walk(event(0), 'next')).toMatchObject({ kind: 'idle', stretch: { of: 'device', gap: { startUs: 5 } } });
    expect(walk(event(0), 'next', 'next')).toEqual(event(7));
    expect(walk(event(0), 'next', 'previous')).toEqual(event(0));
    expect(walk(event(0), 'previous')).toBeUndefined();
  });

  test('goes from lane to lane at the same time', () => {
    expect(walk(event(0), 'below')).toEqual(event(6));
    expect(walk(event(0), 'below', 'below', 'above')).toEqual(event(6));
    expect(walk(event(0), 'above')).toBeUndefined();
  });

  test('begins at the cursor', () => {
    expect(atCursor(late, -1)).toEqual(event(0));
    expect(atCursor(makeTrace([]), -1)).toBeUndefined();
  });

  test('every key that is listed has words', () => {
    for (const { label, does } of TIMELINE_KEYS) expect(`${label} ${does}`).toMatch(/\S+ [A-Z]/);
  });
});

describe('a window for what is looked for', () => {
  test('keeps a visible selection, scrolls to a hidden one, and zooms in on a very short one', () => {
    expect(reveal(WHOLE, 0.2, 0.4)).toBe(WHOLE);
    const half = { from: 0, to: 0.5 };
    const moved = reveal(half, 0.7, 0.8);
    expect(moved.from).toBeLessThanOrEqual(0.7);
    expect(moved.to).toBeGreaterThanOrEqual(0.8);
    const near = reveal(WHOLE, 0.5, 0.5005);
    expect(near.to - near.from).toBeLessThan(0.1);
    expect(near.from).toBeLessThan(0.5);
    expect(near.to).toBeGreaterThan(0.5005);
  });

  test('is drawn from either side', () => {
    expect(between(0.6, 0.2)).toEqual(between(0.2, 0.6));
    expect(between(0.5, 0.5).to).toBeGreaterThan(0.5);
  });
});
