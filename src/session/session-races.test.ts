/** Calls and control messages that come at the same time, on the CPU device: nothing hangs, nothing is emitted by what has been replaced, no step is lost. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import type { SessionEvent } from '../protocol/session';
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

const settle = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms));
const states = (s: TestSession) => s.events.flatMap((e) => (e.type === 'state' ? [e.state] : []));
/** Steps in the order in which their losses came. */
const stepsOf = (s: TestSession) =>
  s.events.flatMap((e) => (e.type === 'losses' ? e.records.map((record) => record.step) : []));

test('pause and play in one breath is one run: every step once, one loop', async () => {
  const s = await openTestSession(ddp);
  const running = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 30);
  s.control(FAST);
  await running;
  for (let i = 0; i < 5; i++) {
    s.control(PAUSE);
    s.control(FAST);
  }
  await settle();
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control(PAUSE);
  await paused;
  await settle();
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
    await settle(7);
    snapshots.push(await s.api.snapshot());
  }
  expect(snapshots.map((one) => one.replicaDivergence)).toEqual(snapshots.map(() => 0));
  expect(snapshots.every((one) => (one.differenceFromSingle ?? 1) < 1e-3)).toBe(true);
  await s.close();
});

test('after dispose() nothing is emitted and calls are refused', async () => {
  const s = await openTestSession(ddp);
  const running = s.until('losses');
  s.control(FAST);
  await running;
  await s.api.dispose();
  await settle();
  const count = s.events.length;
  await settle();
  expect(s.events.length).toBe(count);
  await expect(s.api.traceStep()).rejects.toMatchObject({ message: 'No session is open.' });
  await s.close();
});

function channels() {
  const [events, control] = [new MessageChannel(), new MessageChannel()];
  const seen: SessionEvent[] = [];
  events.port1.onmessage = ({ data }: MessageEvent<SessionEvent>) => seen.push(data);
  return {
    seen,
    events: events.port2,
    control: control.port2,
    send: control.port1,
    close() {
      for (const port of [events.port1, events.port2, control.port1, control.port2]) port.close();
    },
  };
}

test('of two open() calls that overlap the second stays, and the first is closed', async () => {
  const api = createSession(undefined);
  const [a, b] = [channels(), channels()];
  await Promise.all([
    api.open({ ...ddp, seed: 1 }, {}, a.events, a.control),
    api.open({ ...ddp, seed: 2 }, {}, b.events, b.control),
  ]);
  a.send.postMessage(FAST);
  await settle(60);
  expect(a.seen.some((e) => e.type === 'losses')).toBe(false);
  b.send.postMessage(FAST);
  await settle(60);
  expect(b.seen.some((e) => e.type === 'losses')).toBe(true);
  await api.dispose();
  a.close();
  b.close();
});

test('dispose() during open() leaves nothing open', async () => {
  const api = createSession(undefined);
  const a = channels();
  const opening = api.open(ddp, {}, a.events, a.control);
  await api.dispose();
  await opening;
  await expect(api.snapshot()).rejects.toMatchObject({ message: 'No session is open.' });
  a.close();
});
