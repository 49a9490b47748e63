/** Moments of small steps made by hand; those of real steps are in real-steps.test.ts. */
import { describe, expect, test } from 'vitest';
import type { CollectiveRef } from '../../protocol/trace';
import { type EventSketch, makeTrace, slice, transfer } from '../testing/make-trace';
import { doneAt, momentAt, progressIn } from './moment';
import { byMoments, momentsOf } from './moments';

const round = (index: number): CollectiveRef => ({
  seq: 0,
  op: 'allReduce',
  algorithm: 'ring',
  part: index === 0 ? 'reduce-scatter' : 'all-gather',
  bucket: 0,
  chunks: 2,
  round: index,
  rounds: 2,
});

const layer = (id: number, device: number, module: string, start: number): EventSketch => ({
  id,
  device,
  rank: device,
  module,
  us: [start, start + 5],
});

/** Two ranks, one ten microseconds late: two layers, then two rounds of a ring. */
const ragged = makeTrace([
  layer(0, 0, '0', 0),
  layer(1, 0, '2', 5),
  layer(2, 1, '0', 10),
  layer(3, 1, '2', 15),
  ...[0, 1].flatMap((index) =>
    [0, 1].flatMap((from) =>
      transfer([10 + 4 * index + 2 * from, 11 + 4 * index + 2 * from], from, 1 - from, {
        slice: slice('bucket0', from, 1),
        bucket: 0,
        phase: 'reduce',
        rank: from,
        us: [20 + 10 * index, 25 + 10 * index],
        collective: round(index),
      }),
    ),
  ),
]);

describe('byMoments', () => {
  test('a late rank is in the moment of the others, and a round holds all of its messages', () => {
    const { events, moments } = byMoments(ragged);
    expect(moments.map((m) => m.events.map((i) => events[i]?.id))).toEqual([
      [0, 2],
      [1, 3],
      [10, 11, 12, 13],
      [14, 15, 16, 17],
    ]);
    expect(moments.map(({ index, kind, module, bucket, round: r }) => [index, kind, module, bucket, r?.part])).toEqual([
      [0, 'compute', '0', undefined, undefined],
      [1, 'compute', '2', undefined, undefined],
      [2, 'round', '0', 0, 'reduce-scatter'],
      [3, 'round', '0', 0, 'all-gather'],
    ]);
    expect(moments.at(-1)?.round).toMatchObject({ op: 'allReduce', index: 1, count: 2 });
  });

  test('changes nothing in a trace that is in the order already, and keeps its moments', () => {
    const once = byMoments(ragged);
    expect(byMoments(once).events).toEqual(once.events);
    expect(momentsOf(once)).toBe(once.moments);
  });

  test('finds the same moments in a trace in any order', () => {
    const ids = momentsOf(ragged).map((m) => m.events.map((i) => ragged.events[i]?.id).sort());
    expect(ids).toEqual(byMoments(ragged).moments.map((m) => m.events.map((i) => byMoments(ragged).events[i]?.id)));
  });

  test('operators of one layer are one moment, but not across what the device did between them', () => {
    const grad = (id: number, name: string, module: string): EventSketch => ({ id, name, module, phase: 'backward' });
    const trace = byMoments(
      makeTrace([
        grad(0, 'ops/linear-grad-params', '2'),
        grad(1, 'ops/linear-grad-input', '2'),
        grad(2, 'ops/linear-grad-params', '0'),
        { ...grad(3, 'ddp/pack', ''), bucket: 0 },
        grad(4, 'ops/linear-grad-input', '0'),
      ]),
    );
    expect(trace.moments.map(({ kind, module, events }) => [kind, module, events.length])).toEqual([
      ['compute', '2', 2],
      ['compute', '0', 1],
      ['copy', '', 1],
      ['compute', '0', 1],
    ]);
  });

  test('similar messages are separate moments if one must wait for the other', () => {
    const activation = (ids: readonly [number, number], from: number, start: number) =>
      transfer(ids, from, from + 1, { slice: slice('1.out', 0, 4), payload: 'activation', us: [start, start + 1] });
    const trace = byMoments(
      makeTrace([
        layer(0, 0, '0', 0),
        ...activation([1, 2], 0, 5),
        { ...layer(3, 1, '2', 6), deps: [2] },
        ...activation([4, 5], 1, 11).map((e) => (e.kind === 'send' ? { ...e, deps: [3] } : e)),
        { ...layer(6, 2, '4', 12), deps: [5] },
      ]),
    );
    expect(trace.moments.map(({ kind, events }) => [kind, events.length])).toEqual([
      ['compute', 1],
      ['message', 2],
      ['compute', 1],
      ['message', 2],
      ['compute', 1],
    ]);
  });

  test('what the optimiser loads is part of its step', () => {
    const trace = byMoments(
      makeTrace([
        { id: 0, kind: 'load', name: 'load', phase: 'step', module: '' },
        { id: 1, name: 'optim/adam', phase: 'step', module: '' },
      ]),
    );
    expect(trace.moments).toHaveLength(1);
    expect(trace.moments[0]).toMatchObject({ kind: 'update', events: [0, 1] });
  });
});

test('a cursor inside a moment has finished earlier moments, and is equally far in all events of the moment', () => {
  const { moments } = byMoments(ragged);
  const second = momentAt(moments, 6);
  expect(second?.index).toBe(2);
  expect(doneAt(moments, { event: 6, fraction: 0.5 })).toBe(3);
  expect(doneAt(moments, { event: 6, fraction: 1 })).toBe(6);
  expect(doneAt(moments, { event: -1, fraction: 1 })).toBe(-1);
  const [at = 0, end = 0] = [6, 7].map((event) => (second ? progressIn(second, { event, fraction: 0.5 }) : 0));
  expect([at, end]).toEqual([2.5 / 4, 3.5 / 4]);
});

test('every clock stays with its event, and nothing comes before what it depends on', () => {
  const { events, modelled } = byMoments(ragged);
  const times = new Map(ragged.events.map((e, i) => [e.id, ragged.modelled[i]]));
  const place = new Map(events.map((e, i) => [e.id, i]));
  events.forEach((e, i) => {
    expect(modelled[i]).toBe(times.get(e.id));
    for (const dep of e.deps) expect(place.get(dep)).toBeLessThan(i);
  });
});
