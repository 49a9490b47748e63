/**
 * Calls and control messages that come at the same time, on the CPU device: nothing hangs, nothing is emitted by what
 * has been replaced, no step is lost.
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import type { ControlMessage } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import { createSession } from './session';
import { openTestSession, type TestSession } from './testing/open-session';

const ddp: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 2,
  data: { type: 'xor', samples: 64 },
  batchSize: 16,
  seed: 3,
};
const FAST = { type: 'play', stepsPerSecond: 0 } as const;
const PAUSE = { type: 'pause' } as const;

/**
 * So many turns of the event loop: a player that wrongly went on would have posted in the first few of them, on a slow
 * machine as on a fast one, since it waits for turns, too.
 */
async function turns(count = 40): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 0));
}
/** Everything that was emitted before has come: events of one port keep their order. Refused while a player runs. */
async function stepByHand(s: TestSession): Promise<void> {
  const traced = s.until('trace');
  const snapshot = s.until('snapshot');
  await s.api.traceStep();
  await Promise.all([traced, snapshot]);
}
const states = (s: TestSession) => s.events.flatMap((e) => (e.type === 'state' ? [e.state] : []));
/** Steps in the order in which their losses came. */
const stepsOf = (s: TestSession) =>
  s.events.flatMap((e) => (e.type === 'losses' ? e.records.map((record) => record.step) : []));

test('pause and play at the same time give one run: every step once, one loop', async () => {
  const s = await openTestSession(ddp);
  const running = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 30);
  s.control(FAST);
  await running;
  for (let i = 0; i < 5; i++) {
    s.control(PAUSE);
    s.control(FAST);
  }
  const last = stepsOf(s).at(-1) ?? 0;
  await s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > last + 30);
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control(PAUSE);
  await paused;
  await stepByHand(s);
  expect(stepsOf(s)).toEqual(stepsOf(s).map((_, i) => i));
  const seen = states(s);
  expect(seen.at(-1)).toBe('paused');
  expect(seen.every((state, i) => state === (i % 2 === 0 ? 'playing' : 'paused'))).toBe(true);
  await s.close();
});

test('play that is taken back before it began is answered all the same', async () => {
  const s = await openTestSession(ddp);
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control(FAST);
  s.control(PAUSE);
  await paused;
  expect(states(s)).toEqual(['playing', 'paused']);
  // No loop is left that would take a step beside the one by hand.
  const before = stepsOf(s);
  await stepByHand(s);
  expect(stepsOf(s)).toEqual([...before, before.length]);
  expect(states(s)).toEqual(['playing', 'paused']);
  await s.close();
});

test('a play that comes during Reset starts from step 0, once', async () => {
  const s = await openTestSession(ddp);
  const running = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 10);
  s.control(FAST);
  await running;
  const start = s.until('snapshot', ({ snapshot }) => snapshot.step === 0);
  const resets = Promise.all([s.api.reset(), s.api.reset()]);
  s.control(FAST);
  await start;
  await resets;
  const first = s.events.length;
  await s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 10);
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control(PAUSE);
  await paused;
  const after = s.events.slice(first).flatMap((e) => (e.type === 'losses' ? e.records.map((r) => r.step) : []));
  expect(after).toEqual(after.map((_, i) => (after[0] ?? 0) + i));
  await s.close();
});

test('a traced step waits for Reset, and steps asked for together come one after the other', async () => {
  const s = await openTestSession(ddp);
  await s.api.traceStep();
  const [, a, b] = await Promise.all([s.api.reset(), s.api.traceStep(), s.api.traceStep()]);
  expect([a.step, b.step]).toEqual([0, 1]);
  await s.close();
});

test('a snapshot taken while playing is of one step: all replicas alike', async () => {
  const s = await openTestSession({ ...ddp, placement: 'workers' });
  s.control(FAST);
  const snapshots = [];
  for (let i = 0; i < 8; i++) {
    await s.until('losses');
    snapshots.push(await s.api.snapshot());
  }
  expect(snapshots.map((one) => one.replicaDivergence)).toEqual(snapshots.map(() => 0));
  expect(snapshots.every((one) => (one.differenceFromSingle ?? 1) < 1e-3)).toBe(true);
  await s.close();
});

/** The session's ends of two ports: what it posts is seen at once, what it is sent comes at once. */
function direct() {
  const seen: SessionEvent[] = [];
  const watchers: (() => void)[] = [];
  const [events, control] = [new MessageChannel(), new MessageChannel()];
  events.port2.postMessage = (event: SessionEvent) => {
    seen.push(event);
    for (const watch of watchers) watch();
  };
  return {
    seen,
    events: events.port2,
    control: control.port2,
    send: (message: ControlMessage) => control.port1.postMessage(message),
    /** The first losses. */
    runs: new Promise<void>((resolve) => {
      watchers.push(() => {
        if (seen.some(({ type }) => type === 'losses')) resolve();
      });
    }),
    close() {
      for (const port of [events.port1, events.port2, control.port1, control.port2]) port.close();
    },
  };
}

test('after dispose() nothing is emitted and calls are refused', async () => {
  const api = createSession(undefined);
  const a = direct();
  await api.open(ddp, {}, a.events, a.control);
  a.send(FAST);
  await a.runs;
  await api.dispose();
  const count = a.seen.length;
  await turns();
  expect(a.seen.length).toBe(count);
  await expect(api.traceStep()).rejects.toMatchObject({ message: 'No session is open.' });
  a.close();
});

test('of two open() calls that overlap the second stays, and the first is closed', async () => {
  const api = createSession(undefined);
  const [a, b] = [direct(), direct()];
  await Promise.all([
    api.open({ ...ddp, seed: 1 }, {}, a.events, a.control),
    api.open({ ...ddp, seed: 2 }, {}, b.events, b.control),
  ]);
  a.send(FAST);
  b.send(FAST);
  await b.runs;
  await turns();
  expect(a.seen.some((e) => e.type === 'losses')).toBe(false);
  await api.dispose();
  a.close();
  b.close();
});

test('dispose() during open() leaves nothing open', async () => {
  const api = createSession(undefined);
  const a = direct();
  const opening = api.open(ddp, {}, a.events, a.control);
  await api.dispose();
  await opening;
  await expect(api.snapshot()).rejects.toMatchObject({ message: 'No session is open.' });
  a.close();
});
