/**
 * Goes to the exact state of a link: trains the run to its micro-batch at full speed, with a notice that the user can
 * stop this, and puts the cursor at its moment. The same seed gives the same bits, so the moment is the same. Loaded by
 * arrival.ts.
 */
import { lastOf } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { type LinkState, microBatchAt } from '../permalink/link-state';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';
import type { LinkedViews } from './linked-views';

interface Page {
  readonly store: AppStore;
  readonly player: TransportControls;
  readonly views: LinkedViews;
}

export async function arrive(state: LinkState, { store, player, views }: Page): Promise<void> {
  const there = await atStep(state.at, store, player);
  // If the user stopped on the way, the stage shows another step; the link's panels open all the same.
  if (there !== undefined) {
    putCursor(state, there, { store, player });
    select(state.select, store);
  }
  // Lets the panels be drawn with the stage's new step first.
  await new Promise((resolve) => setTimeout(resolve));
  views.ask(state.shown);
}

/** The index of its trace among the kept traces; undefined if the run did not get there. */
async function atStep(at: LinkState['at'], store: AppStore, player: TransportControls): Promise<number | undefined> {
  if (at === undefined) return undefined;
  const { config } = store.getState();
  const construct = at === 'construct';
  const microBatch = construct ? 0 : microBatchAt(at, config);
  if (!(await player.runTo(microBatch))) return undefined;
  if (construct) store.getState().showConstruct();
  const { traces } = store.getState();
  const found = traces.findIndex(
    (trace) => isConstruct(trace) === construct && (construct || trace.microBatch === microBatch),
  );
  return found < 0 ? undefined : found;
}

function select(number: number | undefined, store: AppStore): void {
  const { cursor, traces, pinned, pin } = store.getState();
  const events = traces[cursor?.trace ?? -1]?.events.length ?? 0;
  if (number !== undefined && number <= events && pinned !== number - 1) pin(number - 1);
}

/** Puts the cursor at the end of the step unless the link names a moment; an event past the last means the end. */
function putCursor({ moment, event }: LinkState, index: number, { store, player }: Omit<Page, 'views'>): void {
  const trace = store.getState().traces[index];
  if (!trace) return;
  const moments = momentsOf(trace);
  const last = trace.events.length - 1;
  const ofMoment = moment === undefined ? last : moment === 0 ? -1 : moments[moment - 1];
  const rest = typeof ofMoment === 'number' ? ofMoment : ofMoment ? lastOf(ofMoment) : last;
  const place = event ? Math.min(event.number - 1, last) : rest;
  player.seek(index, place);
  if (event && event.fraction < 1) store.getState().seek(index, place, event.fraction);
}
