/** Two figures that share one session: each goes on where it was, with the same bits as alone. */
import { expect, test } from 'vitest';
import type { SessionListener } from '../../../app/run/session-client';
import type { LabRequest } from '../../../protocol/lab';
import type { SessionEvent } from '../../../protocol/session-events';
import { startInProcess } from '../../record/in-process-session';
import { linkOf, readLink } from '../../run-link';
import { createSharedSession } from './shared-session';

const RUN = 'mode=ddp&world=2&samples=32&test=0&batch=16&layers=2-4-1&act=tanh&at=1';
const config = (seed: number) => readLink(linkOf(RUN, { seed: String(seed) })).config;

function counted() {
  const alive = new Set<object>();
  let most = 0;
  const shared = createSharedSession((listener) => {
    const client = startInProcess(listener);
    const counts = {
      ...client,
      end() {
        alive.delete(counts);
        client.end();
      },
    };
    alive.add(counts);
    most = Math.max(most, alive.size);
    return counts;
  });
  return { shared, alive, most: () => most };
}

function listening() {
  const events: SessionEvent[] = [];
  const listener: SessionListener = {
    onEvent: (event) => events.push(event),
    onFailure: (error) => {
      throw error;
    },
    onStray: (error) => {
      throw error;
    },
  };
  const paused = () => expect.poll(() => events.findLast(({ type }) => type === 'state'));
  return { events, listener, paused };
}

const lossesOf = (events: readonly SessionEvent[]): readonly number[] =>
  events.flatMap((event) => (event.type === 'losses' ? event.records.map(({ loss }) => loss) : []));

async function alone(seed: number, steps: number): Promise<readonly number[]> {
  const { events, listener } = listening();
  const client = startInProcess(listener);
  await client.open(config(seed), {});
  for (let step = 0; step < steps; step++) await client.traceStep();
  await expect.poll(() => lossesOf(events)).toHaveLength(steps);
  client.end();
  return lossesOf(events);
}

test('each figure continues where it was, with the bits that it has alone', async () => {
  const { shared, most } = counted();
  const [a, b] = [listening(), listening()];
  const [ofA, ofB] = [shared.grant(), shared.grant()];
  const [clientA, clientB] = [ofA.startSession(a.listener), ofB.startSession(b.listener)];
  ofA.give();
  await clientA.open(config(1), {});
  await clientA.traceStep();
  ofA.take();
  ofB.give();
  await clientB.open(config(2), {});
  await clientB.traceStep();
  ofB.take();
  ofA.give();
  await clientA.traceStep();
  await clientA.traceStep();
  ofA.take();
  ofB.give();
  await clientB.traceStep();
  await expect.poll(() => lossesOf(a.events)).toHaveLength(3);
  await expect.poll(() => lossesOf(b.events)).toHaveLength(2);
  expect(lossesOf(a.events)).toEqual(await alone(1, 3));
  expect(lossesOf(b.events)).toEqual(await alone(2, 2));
  expect(most()).toBe(1);
  shared.end();
});

test('a figure without the right waits, and gets no events of the other figure', async () => {
  const { shared } = counted();
  const [a, b] = [listening(), listening()];
  const [ofA, ofB] = [shared.grant(), shared.grant()];
  const [clientA, clientB] = [ofA.startSession(a.listener), ofB.startSession(b.listener)];
  ofA.give();
  await clientA.open(config(1), {});
  let opened = false;
  const opening = clientB.open(config(2), {}).then(() => {
    opened = true;
  });
  await clientA.traceStep();
  expect(opened).toBe(false);
  expect(b.events).toEqual([]);
  ofA.take();
  ofB.give();
  await opening;
  const before = a.events.length;
  await clientB.traceStep();
  await expect.poll(() => lossesOf(b.events)).toHaveLength(1);
  expect(a.events).toHaveLength(before);
  shared.end();
});

test('a play that comes too late can be taken back, and its figure hears that it is paused', async () => {
  const { shared } = counted();
  const [a, b] = [listening(), listening()];
  const [ofA, ofB] = [shared.grant(), shared.grant()];
  const [clientA, clientB] = [ofA.startSession(a.listener), ofB.startSession(b.listener)];
  ofA.give();
  await clientA.open(config(1), {});
  ofA.take();
  ofB.give();
  await clientB.open(config(2), {});
  const before = lossesOf(a.events).length;
  clientA.control({ type: 'play', stepsPerSecond: 0 });
  clientA.control({ type: 'pause' });
  await a.paused().toMatchObject({ state: 'paused', microBatch: 0 });
  ofB.take();
  ofA.give();
  await clientA.ask((run) => run.snapshot());
  expect(lossesOf(a.events)).toHaveLength(before);
  shared.end();
});

test('a run that plays comes to rest before another has the worker, and plays on from there', async () => {
  const { shared } = counted();
  const [a, b] = [listening(), listening()];
  const [ofA, ofB] = [shared.grant(), shared.grant()];
  const [clientA, clientB] = [ofA.startSession(a.listener), ofB.startSession(b.listener)];
  ofA.give();
  await clientA.open(config(1), {});
  clientA.control({ type: 'play', stepsPerSecond: 0, until: 40 });
  ofA.take();
  ofB.give();
  await clientB.open(config(2), {});
  expect(lossesOf(a.events)).toHaveLength(40);
  ofB.take();
  ofA.give();
  await clientA.traceStep();
  await expect.poll(() => lossesOf(a.events)).toHaveLength(41);
  expect(lossesOf(a.events)).toEqual(await alone(1, 41));
  shared.end();
});

test('a run that does not come to rest is ended with its worker, and runs again to where it was', async () => {
  const { shared, alive, most } = counted();
  const [a, b] = [listening(), listening()];
  const [ofA, ofB] = [shared.grant(), shared.grant()];
  const [clientA, clientB] = [ofA.startSession(a.listener), ofB.startSession(b.listener)];
  ofA.give();
  await clientA.open(config(1), {});
  await clientA.traceStep();
  clientA.control({ type: 'play', stepsPerSecond: 0, until: 1e9 });
  await expect.poll(() => lossesOf(a.events).length).toBeGreaterThan(1);
  ofA.take();
  ofB.give();
  await clientB.open(config(2), {});
  expect(alive.size).toBe(1);
  expect(most()).toBe(1);
  const known = lossesOf(a.events);
  ofB.take();
  ofA.give();
  await clientA.traceStep();
  await expect.poll(() => lossesOf(a.events)).toHaveLength(known.length + 1);
  const last = a.events.findLast((event) => event.type === 'losses');
  expect(last?.type === 'losses' && last.records[0]?.microBatch).toBe(known.length);
  shared.end();
});

test('the lab needs no right to the session', async () => {
  const { shared } = counted();
  const { listener } = listening();
  const client = shared.grant().startSession(listener);
  const request: LabRequest = {
    op: 'allReduce',
    reduceOp: 'sum',
    algorithm: 'ring',
    worldSize: 4,
    length: 8,
    root: 0,
    nodes: 1,
    startUs: 8,
    link: { latencyUs: 5, bytesPerSecond: 1e9 },
    across: { latencyUs: 5, bytesPerSecond: 1e9 },
    seed: 0,
  };
  const result = await client.askApart((session) => session.lab(request));
  expect(result.rounds).toHaveLength(6);
  shared.end();
});
