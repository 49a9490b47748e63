/**
 * The stage shows the transfers of DDP's constructor once, before the first step of a run, whichever button is pressed.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import type { ControlMessage } from '../../protocol/session';
import { openTestSession, type TestSession } from '../../session/testing/open-session';
import { createFrames } from '../draw/frames';
import { PAGE_CONFIG } from '../edit/page-config';
import { FULL_SPEED, setByHand } from '../pace/pace';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { takeTrace } from '../run/session-event-handler';
import { createAppStore } from '../state/store';
import { beginsWithConstruct } from './positions';
import { createTransport } from './transport';
import { createWalker } from './walker';

let session: TestSession;
beforeEach(async () => {
  session = await openTestSession({ device: 'cpu', mode: 'ddp', worldSize: 2, data: { type: 'xor', samples: 32 } });
});
afterEach(() => session.close());

/** A page with that session open, as after a start: the first step has run, and its gradients are on the stage. */
async function opened(speed = FULL_SPEED, reduced = false) {
  const waiting: ((nowMs: number) => void)[] = [];
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW, setByHand(speed));
  const walker = createWalker(
    store,
    createFrames((callback) => waiting.push(callback)),
    () => reduced,
  );
  const sent: ControlMessage[] = [];
  const transport = createTransport(store, walker, {
    traceStep: async () => takeTrace(store, await session.api.traceStep()),
    control: (message) => sent.push(message),
    idle: async () => undefined,
    report: (error) => {
      throw error;
    },
  });
  store.getState().setInfo(session.info);
  store.getState().setState('paused');
  let now = 0;
  /** Draws frames and lets promises settle for so long. */
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; now += 50) {
      for (const callback of waiting.splice(0)) callback(now);
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  const settled = transport.preview();
  while (store.getState().traces.length === 0) await pass(50);
  await pass(9000);
  await settled;
  /** Draws frames until a command has done its work, however long the session takes. */
  const finished = async (command: Promise<void>) => {
    let open = true;
    void command.then(() => {
      open = false;
    });
    while (open) await pass(50);
  };
  /** The steps that are on the stage from now on, one after the other. */
  const watch = (): readonly number[] => {
    const steps: number[] = [];
    store.subscribe(({ cursor, traces }) => {
      const step = traces[cursor?.trace ?? -1]?.microBatch ?? Number.NaN;
      if (steps.at(-1) !== step) steps.push(step);
    });
    return steps;
  };
  return { store, transport, sent, pass, finished, watch };
}

describe('the first time', () => {
  test('Play at full speed: training begins at once, the constructor is walked over, then the steps', async () => {
    const { store, transport, sent, pass, watch } = await opened();
    const steps = watch();
    transport.play();
    expect(store.getState().cursor).toEqual({ trace: 0, event: -1 });
    await pass(50);
    expect(sent).toEqual([{ type: 'play', stepsPerSecond: 0 }]);
    expect(store.getState().cursor?.trace).toBe(0);
    await pass(6000);
    expect(steps).toEqual([-1, 0]);
    transport.pause();
    transport.play();
    await pass(3000);
    expect(steps).toEqual([-1, 0]);
  });

  test('Play event by event: the constructor at the same pace, then step after step', async () => {
    const { transport, pass, watch } = await opened(FULL_SPEED - 2);
    const steps = watch();
    transport.play();
    while (steps.length < 3) await pass(50);
    transport.pause();
    expect(steps).toEqual([-1, 0, 1]);
  });

  test.each([false, true])(
    'Step iteration: the constructor, then all of the step (reduced motion: %s)',
    async (reduced) => {
      const { store, transport, finished, watch } = await opened(FULL_SPEED, reduced);
      const steps = watch();
      await finished(transport.stepIteration());
      expect(steps).toEqual([-1, 0]);
      const { cursor, traces } = store.getState();
      expect(cursor).toEqual({ trace: 1, event: must(traces[1], 'the first step').events.length - 1 });
      await finished(transport.stepIteration());
      expect(steps).toEqual([-1, 0, 1]);
    },
  );

  test('after a link to a step Play continues from this step, without the constructor', async () => {
    const { store, transport, finished, watch } = await opened();
    expect(await transport.runTo(0)).toBe(true);
    transport.seek(0, must(store.getState().traces[0], 'the first step').events.length - 1);
    const steps = watch();
    await finished(transport.stepIteration());
    expect(steps).toEqual([0, 1]);
  });

  test('Step iteration twice in a row loses no step', async () => {
    const { store, transport, pass, finished } = await opened();
    void transport.stepIteration();
    await pass(100);
    await finished(transport.stepIteration());
    const { cursor, traces } = store.getState();
    expect(traces.map(({ microBatch }) => microBatch)).toEqual([-1, 0, 1]);
    expect(cursor).toEqual({ trace: 2, event: must(traces[2], 'the second step').events.length - 1 });
  });

  test('a single step goes to the first message of the constructor; after leaving it, it is not shown again', async () => {
    const { store, transport, finished, watch } = await opened();
    await finished(transport.step('event'));
    expect(store.getState().cursor).toEqual({ trace: 0, event: 0 });
    const steps = watch();
    transport.seek(1, 2);
    await finished(transport.step('event'));
    await finished(transport.stepIteration());
    expect(steps).toEqual([0]);
  });
});

test('only for a run from its start, and once for each constructor', () => {
  const { info } = session;
  const construct = must(info.construct, 'a constructor');
  const record = (microBatch: number) => ({ step: microBatch, microBatch, epoch: 0, perRank: [1], loss: 1 });
  expect(beginsWithConstruct({ info, losses: [], microBatch: 0 }, undefined)).toBe(true);
  expect(beginsWithConstruct({ info, losses: [record(0)], microBatch: 1 }, undefined)).toBe(true);
  expect(beginsWithConstruct({ info, losses: [record(0)], microBatch: 1 }, construct)).toBe(false);
  expect(beginsWithConstruct({ info, losses: [record(7)], microBatch: 8 }, undefined)).toBe(false);
  expect(beginsWithConstruct({ info, losses: [], microBatch: 7 }, undefined)).toBe(false);
  expect(beginsWithConstruct({ info, losses: [record(0), record(1)], microBatch: 2 }, undefined)).toBe(false);
  const none = { ...info, construct: undefined };
  expect(beginsWithConstruct({ info: none, losses: [], microBatch: 0 }, undefined)).toBe(false);
});
