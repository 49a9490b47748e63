/**
 * Runs a figure as its reader will, but in this thread: the page's store and controller, over a session without a
 * worker, go to the moment of the link. The figure then shows the store's state. For the build and tests.
 */

import { createArrival } from '../../app/address/arrival';
import { createLinkedViews } from '../../app/address/linked-views';
import { createFrames } from '../../app/draw/frames';
import { DEFAULT_LAB, labRequest } from '../../app/permalink/lab-link';
import { createController } from '../../app/run/controller';
import type { SessionClient } from '../../app/run/session-client';
import { isConstruct } from '../../app/state/kept-run';
import { type AppStore, createAppStore } from '../../app/state/store';
import { createWalker } from '../../app/transport/walker';
import { needsOf, OLDEST_TORCH } from '../../interop/export/needs';
import type { TorchNeeds } from '../../protocol/exported';
import type { LabResult } from '../../protocol/lab';
import type { ShownViews } from '../../protocol/snapshot';
import type { CodeLine, StepTrace } from '../../protocol/trace';
import { type Facts, factsOf } from '../facts/facts';
import { readLink } from '../run-link';
import { startInProcess } from './in-process-session';

export interface Recorded {
  /** The store stays readable although its session has ended. */
  readonly store: AppStore;
  readonly facts: Facts;
  readonly lab: LabResult | undefined;
  /** The PyTorch script of the run; empty in a figure of the lab. */
  readonly listing: readonly CodeLine[];
  /** The PyTorch version that the script needs, if it is newer than the oldest supported one. */
  readonly needs: TorchNeeds | undefined;
}

/**
 * `link`: from linkOf(); `shown`: without a decision field in it, none is computed. Rejects with the error that the
 * page would show.
 */
export async function recordRun(link: string, shown?: ShownViews): Promise<Recorded> {
  const { config, view, state } = readLink(link);
  if (!view.lab && state.at === undefined)
    throw new Error(`The link "${link}" leads to no step: write at=1 for the first, or at=construct.`);
  const store = createAppStore(config, view);
  const frames = createFrames((callback) => setImmediate(() => callback(performance.now())));
  const started: SessionClient[] = [];
  let arrived: () => void = () => undefined;
  const there = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const arrival = createArrival(store, { ...createLinkedViews(), ask: arrived });
  arrival.ask(state);
  const controller = createController({
    store,
    walker: createWalker(store, frames, () => true),
    startSession: (listener) => {
      const client = startInProcess(listener, shown);
      started.push(client);
      return client;
    },
    arrival,
    onRuns: () => undefined,
  });
  try {
    if (view.lab) {
      const lab = await controller.askApart((session) => session.lab(labRequest({ ...DEFAULT_LAB, ...view.lab })));
      return { store, lab, facts: factsOf({ app: store.getState(), lab }), listing: [], needs: undefined };
    }
    controller.apply(config, 'link');
    await Promise.race([there, refused(store)]);
    await until(store, ({ snapshot, traces }) => snapshot?.microBatch === doneAfter(traces));
    const listing = await controller.listing();
    const needs = needsOf(listing.map(({ text }) => text).join('\n'));
    const newer = needs.torch === OLDEST_TORCH ? undefined : needs;
    return { store, lab: undefined, facts: factsOf({ app: store.getState() }), listing, needs: newer };
  } finally {
    controller.player.halt();
    for (const client of started) client.end();
  }
}

/** Number of micro-batches that have run once the newest step has been traced. */
const doneAfter = (traces: readonly StepTrace[]): number => {
  const last = traces.at(-1);
  return last && !isConstruct(last) ? last.microBatch + 1 : 0;
};

type AppNow = ReturnType<AppStore['getState']>;

function until(store: AppStore, holds: (app: AppNow) => boolean): Promise<void> {
  if (holds(store.getState())) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = store.subscribe((app) => {
      if (!holds(app)) return;
      stop();
      resolve();
    });
  });
}

/** Rejects if the page would show an error. */
async function refused(store: AppStore): Promise<never> {
  const isError = ({ level }: AppNow['notices'][number]) => level === 'error';
  await until(store, ({ state, notices }) => state === 'failed' || notices.some(isError));
  const { busy, notices } = store.getState();
  throw new Error(notices.find(isError)?.text ?? busy);
}
