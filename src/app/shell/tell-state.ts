/**
 * Tells the page around an embed what its run has come to, so that a lesson of somebody else can see that a task is
 * done: a message whenever something has changed, a few times a second at most. Loaded by embeds alone.
 */

import { metricsOf } from '../../trace/metrics';
import { printPermalink } from '../permalink/permalink';
import type { App } from '../state/app-state';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';

/** What is posted; numbers that the run does not have yet are left out. docs/embedding.md lists them. */
interface StateMessage {
  readonly type: 'lockstep:state';
  readonly state: App['state'];
  readonly mode: string;
  readonly worldSize: number;
  /** Micro-batches that the run has behind it. */
  readonly microBatch: number;
  readonly loss?: number | undefined;
  /** Largest difference of a weight between two replicas. */
  readonly divergence?: number | undefined;
  /** Of the step that is shown, on its clock. */
  readonly stepUs?: number | undefined;
  readonly bytesPerRank?: number | undefined;
  /** 0..1 of the communication. */
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
