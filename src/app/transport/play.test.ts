/** Play with a simulated clock: how the pace speeds up, what the stage shows at full speed, and where a pause stops. */
import { expect, test } from 'vitest';
import type { ControlMessage } from '../../protocol/session';
import { createFrames } from '../draw/frames';
import { PAGE_CONFIG } from '../edit/page-config';
import { BEGINNING, FULL_SPEED, type Pace, runsFree, secondsToFull, setByHand, toggledHold } from '../pace/pace';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { traceOf } from '../testing/trace-of';
import { onlyPreviewed, stepShown } from './positions';
import { createTransport } from './transport';
import { createWalker } from './walker';

const EVENTS = 20;

/**
 * A page with one traced step, whose session answers at once; `train` sends what the session sends while it runs
 * freely.
 */
function opened(pace: Pace, reduced = false) {
  const waiting: ((nowMs: number) => void)[] = [];
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW, pace);
  const frames = createFrames((callback) => waiting.push(callback));
  const sent: ControlMessage[] = [];
  const transport = createTransport(
    store,
    createWalker(store, frames, () => reduced),
    {
      traceStep: async () => train(),
      control: (message) => sent.push(message),
      idle: async () => undefined,
      report: (error) => {
        throw error;
      },
    },
  );
  let steps = 0;
  const train = () => store.getState().addTrace(traceOf(steps++, EVENTS));
  train();
  store.getState().setState('paused');
  let now = 0;
  /** Seconds of frames; `each` is asked every tenth of a second. */
  const pass = async (seconds: number, each: () => void = () => undefined) => {
    for (const end = now + 1000 * seconds; now < end; now += 50) {
      for (const callback of waiting.splice(0)) callback(now);
      await new Promise((resolve) => setImmediate(resolve));
      each();
    }
  };
  const shown = () => {
    const { cursor, traces } = store.getState();
    return { step: traces[cursor?.trace ?? -1]?.microBatch, event: cursor?.event };
  };
  return { store, transport, sent, pass, train, shown };
}

test('the first step takes ten seconds, each next one half as long, until the session runs freely', async () => {
  const { store, transport, sent, pass, shown } = opened(BEGINNING);
  transport.play();
  await pass(5);
  expect(shown()).toEqual({ step: 0, event: EVENTS / 2 - 1 });
  // The frames between one step and the next are additional.
  await pass(5.5);
  expect(shown()).toMatchObject({ step: 1 });
  await pass(5.5);
  expect(shown()).toMatchObject({ step: 2 });
  expect(secondsToFull(store.getState().pace)).toBe(8);
  await pass(4);
  expect(shown().step).toBeGreaterThanOrEqual(4);
  expect(sent).toEqual([]);
  await pass(1.5);
  expect(runsFree(store.getState().pace)).toBe(true);
  expect(sent).toEqual([{ type: 'play', stepsPerSecond: 20 }]);
  await pass(4);
  expect(sent.at(-1)).toEqual({ type: 'play', stepsPerSecond: 0 });
});

test('if Play begins in the middle of a step, the next step is slow, too', async () => {
  const { store, transport, pass, shown } = opened(BEGINNING);
  transport.seek(0, EVENTS - 3);
  transport.play();
  await pass(2);
  expect(shown()).toMatchObject({ step: 1 });
  expect(store.getState().pace).toEqual(BEGINNING);
});

test('a pace that is held stays, and goes on from there', async () => {
  const { store, transport, pass, shown } = opened(BEGINNING);
  transport.play();
  await pass(4);
  transport.changePace(toggledHold(store.getState().pace));
  await pass(36);
  expect(shown().step).toBe(3);
  transport.changePace(toggledHold(store.getState().pace));
  await pass(24);
  expect(runsFree(store.getState().pace)).toBe(true);
});

test('at full speed the newest trace is replayed in six to ten seconds, and again while nothing new is there', async () => {
  const { store, transport, pass, train, shown } = opened(setByHand(FULL_SPEED));
  transport.play();
  const restedMs: number[] = [];
  const rests = () => {
    const { cursor, cursorFraction } = store.getState();
    const done = cursor?.event === EVENTS - 1 && cursorFraction === 1;
    restedMs.push(done ? (restedMs.at(-1) ?? 0) + 50 : 0);
  };
  await pass(1);
  // Training is far ahead: the shown trace stays.
  for (let n = 0; n < 10; n++) train();
  transport.traceArrived();
  await pass(4, rests);
  expect(shown()).toMatchObject({ step: 0 });
  await pass(6, rests);
  expect(shown()).toMatchObject({ step: 10 });
  await pass(20, rests);
  expect(shown()).toMatchObject({ step: 10 });
  expect(shown().event).toBeLessThan(EVENTS - 1);
  expect(Math.max(...restedMs)).toBeLessThanOrEqual(100);
});

test('if nothing has run yet, the first trace that arrives is replayed', async () => {
  const { store, transport, pass, train, shown } = opened(setByHand(FULL_SPEED));
  store.getState().clearRun();
  transport.play();
  await pass(1);
  train();
  transport.traceArrived();
  await pass(2);
  expect(shown().event).toBeGreaterThan(0);
});

test('a pause stops at the step that training has reached', async () => {
  const { transport, sent, pass, train, shown } = opened(setByHand(FULL_SPEED));
  transport.play();
  await pass(2);
  train();
  train();
  transport.pause();
  expect(sent.at(-1)).toEqual({ type: 'pause' });
  expect(shown()).toEqual({ step: 2, event: EVENTS - 1 });
  train();
  transport.traceArrived();
  await pass(2);
  expect(shown()).toEqual({ step: 3, event: EVENTS - 1 });
});

test('set by hand while it plays: slower stops the session, faster lets it run', async () => {
  const { transport, sent, pass, shown } = opened(setByHand(FULL_SPEED));
  transport.play();
  await pass(1);
  transport.changePace(setByHand(4));
  expect(sent.at(-1)).toEqual({ type: 'pause' });
  await pass(3.5);
  expect(shown().step).toBeGreaterThanOrEqual(3);
  transport.changePace(setByHand(FULL_SPEED - 1));
  await pass(1);
  expect(sent.at(-1)).toEqual({ type: 'play', stepsPerSecond: 20 });
  transport.changePace(setByHand(FULL_SPEED));
  expect(sent.at(-1)).toEqual({ type: 'play', stepsPerSecond: 0 });
});

for (const reduced of [false, true])
  test(`before Play the first step is shown up to the middle of its last moment, which Step then ends (reduced motion: ${reduced})`, async () => {
    const { store, transport, pass, shown } = opened(BEGINNING, reduced);
    void transport.preview(async () => undefined);
    await pass(9);
    expect(shown()).toEqual({ step: 0, event: EVENTS - 1 });
    expect(store.getState().cursorFraction).toBeCloseTo(0.9, 9);
    expect(onlyPreviewed(store.getState())).toBe(true);
    expect(stepShown(store.getState(), false)).toBe(0);
    void transport.stepIteration();
    await pass(2);
    expect(shown()).toEqual({ step: 0, event: EVENTS - 1 });
    expect(store.getState().cursorFraction).toBe(1);
  });

test('with reduced motion the same, in whole events', async () => {
  const { store, transport, pass, shown } = opened(BEGINNING, true);
  transport.play();
  const fractions = new Set<number>();
  await pass(5, () => fractions.add(store.getState().cursorFraction));
  expect([...fractions]).toEqual([1]);
  expect(shown()).toEqual({ step: 0, event: EVENTS / 2 - 2 });
});
