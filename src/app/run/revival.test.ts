/** A run whose worker has ended goes on in a new session, over sessions in this thread. */
import { afterEach, expect, test } from 'vitest';
import { LockstepError } from '../../base/errors';
import { parseConfig } from '../../config/parse-config';
import { startInProcess } from '../../lessons/record/in-process-session';
import { createArrival } from '../address/arrival';
import { createLinkedViews } from '../address/linked-views';
import { createFrames } from '../draw/frames';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { createWalker } from '../transport/walker';
import { createController } from './controller';
import type { SessionClient, SessionListener } from './session-client';

const RUN = parseConfig({
  batchSize: 8,
  device: 'cpu',
  data: { type: 'xor', samples: 16 },
  model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
});

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A page with this run open; `kept`: resolves when the session has handed over a state. */
async function opened() {
  const store = createAppStore(RUN, DEFAULT_VIEW);
  const sessions: { readonly client: SessionClient; readonly listener: SessionListener }[] = [];
  let keeps = () => {};
  const kept = new Promise<void>((resolve) => {
    keeps = resolve;
  });
  const controller = createController({
    store,
    walker: createWalker(
      store,
      createFrames((callback) => setImmediate(() => callback(performance.now()))),
      () => true,
    ),
    startSession: (listener): SessionClient => {
      const client = startInProcess({
        ...listener,
        onEvent(event) {
          listener.onEvent(event);
          if (event.type === 'kept') keeps();
        },
      });
      sessions.push({ client, listener });
      return client;
    },
    arrival: createArrival(store, createLinkedViews()),
    onRuns: () => undefined,
  });
  controller.apply(RUN);
  ends.push(() => {
    controller.player.halt();
    for (const { client } of sessions) client.end();
  });
  await expect.poll(() => store.getState().state, { timeout: 10_000 }).toBe('paused');
  /** Ends the run's worker. */
  const lose = () => {
    const session = sessions.at(-1);
    session?.client.end();
    session?.listener.onFailure(new LockstepError('rank-failed', 'The worker has ended.'));
  };
  return { store, controller, kept, lose };
}

test('a link to a moment that is opened while the new session opens is followed', { timeout: 30_000 }, async () => {
  const { store, controller, kept, lose } = await opened();
  controller.player.runTo(1_000_000).catch(() => undefined);
  await kept;
  lose();
  expect(store.getState().state).toBe('loading');
  // "play" reaches nobody yet.
  const goal = store.getState().microBatch + 500;
  const lost = controller.player.runTo(goal);
  await expect.poll(() => store.getState().state, { timeout: 10_000 }).toBe('paused');
  await lost;
  expect(await controller.player.runTo(goal)).toBe(true);
});
