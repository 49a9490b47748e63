/** Where steps on and back lead, by single events, moments, rounds and phases. */
import { describe, expect, test } from 'vitest';
import type { CollectiveRef } from '../protocol/trace';
import { byMoments } from './moments/moments';
import { nextStop, previousStop, type Stride, stopsOf } from './position';
import { type EventSketch, makeTrace, slice, transfer } from './testing/make-trace';

const half = (bucket: number, round: number): CollectiveRef => ({
  seq: bucket,
  op: 'allReduce',
  algorithm: 'ring',
  part: round === 0 ? 'reduce-scatter' : 'all-gather',
  bucket,
  round,
  rounds: 2,
});

/** Two ranks; what is given happens on both, and `start` is when. */
const both = (id: number, start: number, sketch: EventSketch): readonly EventSketch[] =>
  [0, 1].map((device) => ({ ...sketch, id: id + device, device, rank: device, us: [start, start + 4] as const }));
const round = (id: number, start: number, bucket: number, index: number): readonly EventSketch[] =>
  [0, 1].flatMap((from) =>
    transfer([id + 2 * from, id + 2 * from + 1], from, 1 - from, {
      slice: slice(`bucket${bucket}`, from, 1),
      bucket,
      phase: 'reduce',
      module: '',
      rank: from,
      us: [start, start + 4],
      collective: half(bucket, index),
    }),
  );

/** Bucket 0 is on its way while layer 0 still computes its gradient. */
const step = byMoments(
  makeTrace([
    ...both(0, 0, { kind: 'load', name: 'load', phase: 'data', module: '' }),
    ...both(2, 5, { phase: 'forward', module: '0' }),
    ...both(4, 10, { phase: 'forward', module: '1' }),
    ...both(6, 15, { phase: 'backward', module: '1' }),
    ...round(10, 20, 0, 0),
    ...both(20, 22, { phase: 'backward', module: '0' }),
    ...round(30, 25, 0, 1),
    ...both(40, 30, { name: 'optim/sgd', phase: 'step', module: '' }),
  ]),
);
const REST = (event: number) => ({ event, fraction: 1 });
const walk = (stride: Stride) => {
  const stops: number[] = [];
  for (let at = -1; at < step.events.length - 1; stops.push(at)) at = nextStop(step, REST(at), stride);
  return stops;
};
const back = (stride: Stride) => {
  const stops: number[] = [];
  for (let at = step.events.length - 1; at >= 0; stops.push(at)) at = previousStop(step, at, stride);
  return stops;
};

describe('steps', () => {
  test('of a moment rest where all ranks have done the same', () => {
    expect(walk('moment')).toEqual([1, 3, 5, 7, 11, 13, 17, 19]);
    expect(stopsOf(step, 'moment')).toEqual(walk('moment'));
  });

  test('of a round go from collective to collective, and to the end', () => {
    expect(walk('round')).toEqual([11, 17, 19]);
  });

  test('of a phase rest at the end of forward, of half an all-reduce, of the backward it overlaps with, and the update', () => {
    expect(walk('phase')).toEqual([5, 11, 13, 17, 19]);
  });

  test('of an event go over every one', () => {
    expect(walk('event')).toEqual(step.events.map((_, index) => index));
  });

  test.each<Stride>(['event', 'moment', 'phase'])('%s: the way back is the way there', (stride) => {
    expect(back(stride)).toEqual([...walk(stride).slice(0, -1).reverse(), -1]);
  });

  test('finish started events before others begin', () => {
    expect(nextStop(step, { event: 8, fraction: 0.3 }, 'moment')).toBe(11);
    expect(nextStop(step, { event: 11, fraction: 0.9 }, 'moment')).toBe(11);
    expect(nextStop(step, REST(11), 'moment')).toBe(13);
    expect(previousStop(step, 9, 'moment')).toBe(7);
  });

  test('stay inside the step', () => {
    const empty = makeTrace([]);
    expect([nextStop(empty, REST(-1), 'phase'), previousStop(empty, -1, 'moment')]).toEqual([-1, -1]);
    expect(nextStop(step, REST(19), 'round')).toBe(19);
    expect(previousStop(step, 0, 'event')).toBe(-1);
  });
});
