/** Two compared runs over sessions in this thread: a run that is interrupted stops both, and then they go on. */
import { afterEach, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { parseConfig } from '../../config/parse-config';
import { startInProcess } from '../../lessons/record/in-process-session';
import type { ConfigInput } from '../../protocol/config';
import { createArrival } from '../address/arrival';
import { createLinkedViews } from '../address/linked-views';
import { createFrames } from '../draw/frames';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createController } from '../run/controller';
import type { SessionClient } from '../run/session-client';
import { createAppStore } from '../state/store';
import { createWalker } from '../transport/walker';
import { createDuo } from './duo';
import { PACES } from './duo-state';
import type { Side } from './side';

const RUN: ConfigInput = {
  mode: 'ddp',
  worldSize: 2,
  batchSize: 16,
  device: 'cpu',
  compareSingle: false,
  data: { type: 'xor', samples: 32 },
  model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
  maxRestarts: 3,
};

/** The most time to wait: two runs that trace every step share one thread with other work of the machine. */
const PATIENCE = { timeout: 40_000 };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Frames without waiting, each 50 ms later by a simulated clock. */
function frames() {
  let nowMs = 0;
  return createFrames((callback) =>
    setImmediate(() => {
      nowMs += 50;
      callback(nowMs);
    }),
  );
}

function open(input: ConfigInput): Side {
  const store = createAppStore(parseConfig(input), DEFAULT_VIEW);
  const started: SessionClient[] = [];
  const controller = createController({
    store,
    walker: createWalker(store, frames(), () => true),
    startSession: (listener) => {
      const client = startInProcess(listener);
      started.push(client);
      return client;
    },
    arrival: createArrival(store, createLinkedViews()),
    onRuns: () => undefined,
  });
  controller.apply(parseConfig(input));
  ends.push(() => {
    controller.player.halt();
    for (const client of started) client.end();
  });
  return { store, controller };
}

async function compared() {
  const sides = [open(RUN), open({ ...RUN, ddp: { algorithm: 'naive' } })] as const;
  const duo = createDuo({
    sides,
    frames: frames(),
    reducedMotion: () => true,
    report: (error) => {
      throw error;
    },
  });
  ends.push(duo.end);
  duo.setPace(PACES.length - 1);
  await expect.poll(() => duo.state.getState().step, PATIENCE).toBe(0);
  return { sides, duo, step: () => duo.state.getState().step ?? -1 };
}

/** Ends rank 1 of a run, then starts all ranks again. */
async function loseRank({ store, controller }: Side): Promise<void> {
  const restarted = new Promise<void>((resolve) => {
    const stop = store.subscribe(({ notices }) => {
      if (!notices.some(({ id }) => id === 'rank-failed')) return;
      stop();
      resolve();
    });
  });
  await controller.ask((run) => run.killRank(1));
  await restarted;
}

test('both runs continue by themselves after one of them has lost a rank', async () => {
  const { sides, duo, step } = await compared();
  duo.play();
  await expect.poll(step, PATIENCE).toBeGreaterThan(1);
  await loseRank(sides[0]);
  const before = Math.max(...sides.map(({ store }) => store.getState().microBatch));
  await expect.poll(step, PATIENCE).toBeGreaterThan(before);
  expect(duo.state.getState().playing).toBe(true);
});

const STOPPED = 'the test above stops both runs for a lost rank, and lets them play on';

test('if the user pauses, both runs stay paused', place({ rest: STOPPED }), async () => {
  const { sides, duo, step } = await compared();
  duo.play();
  await expect.poll(step, PATIENCE).toBeGreaterThan(1);
  duo.pause();
  await loseRank(sides[1]);
  await expect.poll(step, PATIENCE).toBeGreaterThanOrEqual(0);
  const at = step();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(duo.state.getState().playing).toBe(false);
  expect(step()).toBe(at);
});
