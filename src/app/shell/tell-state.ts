/**
 * Sends the state of an embed's run to the embedding page, so that someone else's lesson can see that a task is done: a
 * message after every change, at most a few times a second. Loaded only by embeds.
 */

import { metricsOf } from '../../trace/metrics';
import { printPermalink } from '../permalink/print-permalink';
import type { App } from '../state/app-state';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';

/** The posted message; numbers that the run does not have yet are left out. docs/embedding.md lists the fields. */
interface StateMessage {
  readonly type: 'lockstep:state';
  readonly state: App['state'];
  readonly mode: string;
  readonly worldSize: number;
  /** The number of completed micro-batches. */
  readonly microBatch: number;
  readonly loss?: number | undefined;
  /** The largest difference of a weight between two replicas. */
  readonly divergence?: number | undefined;
  /** The length of the shown step, on its clock. */
  readonly stepUs?: number | undefined;
  readonly bytesPerRank?: number | undefined;
  /** The hidden share of communication, 0..1. */
  readonly hidden?: number | undefined;
  /** The settings, as behind the # of a link. */
  readonly link: string;
}

const EVERY_MS = 250;

export function tellState(store: AppStore, post: (message: StateMessage) => void): void {
  let last = '';
  let waits = false;
  const tell = () => {
    waits = false;
    const message = messageOf(store.getState());
    const text = JSON.stringify(message);
    if (text === last) return;
    last = text;
    post(message);
  };
  store.subscribe(() => {
    if (waits) return;
    waits = true;
    setTimeout(tell, EVERY_MS);
  });
  tell();
}

export function messageOf(app: App): StateMessage {
  const { config, info, state, microBatch, losses, snapshot, clock } = app;
  const at = app.cursor && app.traces[app.cursor.trace];
  const metrics = at && info && !isConstruct(at) ? metricsOf(at, clock, info) : undefined;
  return {
    type: 'lockstep:state',
    state,
    mode: config.mode,
    worldSize: info?.worldSize ?? config.worldSize,
    microBatch,
    loss: losses.at(-1)?.loss,
    divergence: snapshot?.replicaDivergence,
    stepUs: metrics?.stepUs,
    bytesPerRank: metrics?.bytesPerRank,
    hidden: metrics?.overlap,
    link: printPermalink(config, { ...app, embed: false, hide: new Set(), lock: new Set() }, []),
  };
}
