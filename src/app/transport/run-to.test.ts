/** Running to a micro-batch: directly, stopped by the user, and to one that the run has already passed. */
import { expect, test } from 'vitest';
import type { ControlMessage } from '../../protocol/session';
import { createFrames } from '../draw/frames';
import { PAGE_CONFIG } from '../edit/page-config';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { traceOf } from '../testing/trace-of';
import { createFreeRun } from './free-run';
import { createTransport } from './transport';
import { createWalker } from './walker';

const EVENTS = 6;

function opened() {
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW);
  const frames = createFrames(() => undefined);
  const sent: ControlMessage[] = [];
  const freeRun = createFreeRun();
  const trace = async () => {
    const { microBatch, addTrace, setMicroBatch } = store.getState();
    addTrace(traceOf(microBatch, EVENTS));
    setMicroBatch(microBatch + 1);
  };
  const transport = createTransport(
    store,
    createWalker(store, frames, () => true),
    {
      traceStep: trace,
      control(message) {
        sent.push(message);
        if (message.type === 'play') freeRun.set(true);
      },
      idle: freeRun.idle,
      report: (error) => {
        throw error;
      },
    },
  );
  store.getState().setState('paused');
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** The session has trained so far, and has paused by itself. */
  const trained = (microBatch: number) => {
    store.getState().setMicroBatch(microBatch);
    freeRun.set(false);
  };
  return { store, transport, sent, settled, trained, runsByItself: () => freeRun.set(true) };
}

test('trains to the micro-batch, traces it and pauses', async () => {
  const { store, transport, sent, settled, trained } = opened();
  const arrived = transport.runTo(1_000_000);
  await settled();
  expect(sent).toEqual([{ type: 'play', stepsPerSecond: 0, until: 1_000_000 }]);
  expect(store.getState()).toMatchObject({ state: 'playing', goingTo: 1_000_000 });
  trained(1_000_000);
  expect(await arrived).toBe(true);
  expect(store.getState()).toMatchObject({ state: 'paused', goingTo: undefined, microBatch: 1_000_001 });
  expect(store.getState().traces.at(-1)?.microBatch).toBe(1_000_000);
});

test('a press on Pause ends it at the run’s current step', async () => {
  const { store, transport, sent, settled, trained } = opened();
  const arrived = transport.runTo(5000);
  await settled();
  transport.pause();
  expect(sent.at(-1)).toEqual({ type: 'pause' });
  trained(1234);
  expect(await arrived).toBe(false);
  expect(store.getState()).toMatchObject({ state: 'paused', goingTo: undefined, microBatch: 1234, traces: [] });
});

test('a traced step is shown at once; earlier steps are not run again', async () => {
  const { store, transport, sent } = opened();
  expect(await transport.runTo(0)).toBe(true);
  expect(await transport.runTo(0)).toBe(true);
  expect(store.getState().traces).toHaveLength(1);
  store.getState().setMicroBatch(10);
  expect(await transport.runTo(4)).toBe(false);
  expect(sent).toEqual([]);
});

test('a session that goes on by itself, as after a lost device, gets "play" only when it rests', async () => {
  const { transport, sent, settled, trained, runsByItself } = opened();
  runsByItself();
  const arrived = transport.runTo(500);
  await settled();
  expect(sent).toEqual([]);
  trained(300);
  await settled();
  expect(sent).toEqual([{ type: 'play', stepsPerSecond: 0, until: 500 }]);
  trained(500);
  expect(await arrived).toBe(true);
});

test('after a press on Pause while it waits for the session, it sends no "play"', async () => {
  const { store, transport, sent, settled, trained, runsByItself } = opened();
  runsByItself();
  const arrived = transport.runTo(500);
  await settled();
  transport.pause();
  trained(300);
  expect(await arrived).toBe(false);
  expect(sent).toEqual([{ type: 'pause' }]);
  expect(store.getState()).toMatchObject({ state: 'paused', goingTo: undefined });
});
