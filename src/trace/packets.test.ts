/**
 * Packets of a step made by hand: who, what, how many bytes, when on each clock; and the bytes counted from the same
 * events.
 */
import { expect, test } from 'vitest';
import { trafficOf } from './links';
import { flyingAt, packetsAt, packetsOf, progressAt } from './packets';
import { makeTrace, slice, transfer } from './testing/make-trace';

const step = makeTrace([
  { device: 0, id: 0, us: [0, 4] },
  ...transfer([11, 12], 0, 1, { slice: slice('w', 0, 8), payload: 'parameter', us: [4, 6], recvUs: [5, 9] }),
  ...transfer([13, 14], 1, 0, { slice: slice('w.grad', 2, 3), us: [9, 10], apply: 'add' }),
  ...transfer([15, 16], 1, 0, { slice: slice('b.grad', 0, 1), us: [10, 11], apply: 'add' }),
]);

test('a packet connects a send with its receive and lasts until the receive ends', () => {
  const [first, second] = packetsOf(step);
  expect(packetsOf(step)).toHaveLength(3);
  expect(first).toEqual({
    send: 1,
    recv: 2,
    from: 0,
    to: 1,
    bytes: 32,
    payload: 'parameter',
    source: slice('w', 0, 8),
    target: slice('w', 0, 8),
    apply: 'put',
    collective: undefined,
    modelled: { startUs: 4, endUs: 9 },
    measured: { startUs: 40, endUs: 90 },
  });
  expect(second).toMatchObject({ send: 3, recv: 4, from: 1, to: 0, bytes: 12, apply: 'add' });
});

test('packets under way at a time', () => {
  const sent = (clock: 'measured' | 'modelled', timeUs: number) => packetsAt(step, clock, timeUs).map((p) => p.send);
  expect([3, 4, 8.9, 9, 10, 11].map((t) => sent('modelled', t))).toEqual([[], [1], [1], [3], [5], []]);
  expect(sent('measured', 89)).toEqual([1]);
  const packets = packetsOf(step);
  expect(flyingAt(packets, 'modelled', 4)).toEqual(packets.slice(0, 1));
  const [first] = packets;
  expect(first && [0, 4, 6.5, 9, 20].map((t) => progressAt(first, 'modelled', t))).toEqual([0, 0, 0.5, 1, 1]);
});

test('a receive without its send is an error', () => {
  const broken = makeTrace(step.events.filter((e) => e.id !== 13));
  expect(() => packetsOf(broken)).toThrow('the send that event 14 received');
});

test('bytes by link, payload and device, up to a place of the cursor', () => {
  expect(trafficOf(step)).toEqual({
    byLink: { 'cuda:0->cuda:1': 32, 'cuda:1->cuda:0': 16 },
    byPayload: { parameter: 32, gradient: 16 },
    sent: [32, 16],
    received: [16, 32],
    total: 48,
  });
  expect(trafficOf(step, 3)).toMatchObject({ total: 44, received: [0, 32] });
  expect(trafficOf(step, -1).total).toBe(0);
});
