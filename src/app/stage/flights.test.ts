import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { momentsOf } from '../../trace/moments/moments';
import { packetsOf } from '../../trace/packets';
import { makeTrace, slice, transfer } from '../../trace/testing/make-trace';
import { flightsOf, wayMade } from './flights';

const collective = { seq: 0, op: 'allReduce', algorithm: 'ring', part: 'reduce-scatter', round: 0, rounds: 1 } as const;
const send = (ids: readonly [number, number], from: number, to: number, offset = 0) =>
  transfer(ids, from, to, { slice: slice('bucket0', offset, 1), us: [5, 6], collective });

describe('packets of one moment', () => {
  const trace = makeTrace([...send([0, 1], 0, 1), ...send([2, 3], 1, 0)]);
  const flights = flightsOf(packetsOf(trace), momentsOf(trace));

  test('fly together while the cursor moves through the moment', () => {
    expect(flights.map((flight) => wayMade(flight, { event: 0, fraction: 0.5 }))).toEqual([0.125, 0.125]);
    expect(flights.map((flight) => wayMade(flight, { event: 3, fraction: 0.5 }))).toEqual([0.875, 0.875]);
    expect(flights.map((flight) => wayMade(flight, { event: 3, fraction: 1 }))).toEqual([undefined, undefined]);
  });

  test('fly one by one if the cursor rests at a single event', () => {
    expect(flights.map((flight) => wayMade(flight, { event: 0, fraction: 1 }))).toEqual([0.5, undefined]);
    expect(flights.map((flight) => wayMade(flight, { event: 2, fraction: 1 }))).toEqual([undefined, 0.5]);
  });
});

test('packets of a moment on the same road fly one after the other', () => {
  const trace = makeTrace([...send([0, 1], 0, 1), ...send([2, 3], 0, 1, 1)]);
  const flights = flightsOf(packetsOf(trace), momentsOf(trace));
  const at = (event: number) => flights.map((flight) => wayMade(flight, { event, fraction: 0.5 }));
  expect(at(0)).toEqual([0.25, undefined]);
  expect(at(3)).toEqual([undefined, 0.75]);
});

test('a packet under way for longer than a moment goes on while others move', () => {
  const flight = {
    packet: must(packetsOf(makeTrace(send([0, 1], 0, 1)))[0], 'packet'),
    together: undefined,
  };
  const slow = { ...flight, packet: { ...flight.packet, send: 3, recv: 5 } };
  expect(wayMade(slow, { event: 2, fraction: 1 })).toBeUndefined();
  expect(wayMade(slow, { event: 3, fraction: 0.3 })).toBeCloseTo(0.1, 9);
  expect(wayMade(slow, { event: 4, fraction: 0.5 })).toBeCloseTo(0.5, 9);
  expect(wayMade(slow, { event: 5, fraction: 1 })).toBeUndefined();
});
