/**
 * Handles the keys of the timeline while it has the focus; timeline-keys.ts lists them for the user. W, S, A and D zoom
 * and move the window as in Perfetto. Keys that are not in the table are left to the page.
 */
import type { KeyboardEvent } from 'react';
import { lookup } from '../../base/lookup';
import { between, reveal, type ViewWindow, WHOLE } from '../lanes/view-window';
import { windowKeys } from '../lanes/window-keys';
import type { App } from '../state/app-state';
import { atCursor, type EventDirection, moveSelection, type Selection, stretchOf } from './selection';
import type { TimelineModel } from './timeline-model';

/** The margin beside a shown selection, as a share of the window. */
const AIR = 0.15;

export interface TimelineKeyActions {
  readonly model: TimelineModel;
  app(): App;
  selection(): Selection | undefined;
  go(event: number): void;
  show(view: ViewWindow): void;
  select(selection: Selection | undefined): void;
  search(): void;
  togglePath(): void;
}

/** The window in which a selection is visible. */
export function revealed(model: TimelineModel, app: App, selection: Selection): ViewWindow {
  const parts = model.parts(app);
  if (!parts || parts.totalUs <= 0) return model.view;
  const { startUs, endUs } = stretchOf(parts, selection);
  return reveal(model.view, startUs / parts.totalUs, endUs / parts.totalUs);
}

function fitted({ model, app, selection }: TimelineKeyActions): ViewWindow {
  const chosen = selection();
  const parts = model.parts(app());
  if (!chosen || !parts || parts.totalUs <= 0) return WHOLE;
  const { startUs, endUs } = stretchOf(parts, chosen);
  const air = AIR * (endUs - startUs);
  return between(Math.max(0, startUs - air) / parts.totalUs, Math.min(parts.totalUs, endUs + air) / parts.totalUs);
}

export function timelineKeyDown(actions: TimelineKeyActions) {
  const { model, app, selection, go, show, select } = actions;
  const move = (direction: EventDirection) => {
    const { cursor, traces } = app();
    const trace = cursor && traces[cursor.trace];
    const parts = model.parts(app());
    if (!trace || !parts) return;
    const from = selection();
    const next = from ? moveSelection(parts, from, direction) : atCursor(trace, cursor.event);
    if (next) select(next);
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { cursor, traces } = app();
    const trace = cursor && traces[cursor.trace];
    const now = cursor?.event ?? -1;
    const shift = event.shiftKey;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => (shift ? move('next') : go(now + 1)),
      ArrowLeft: () => (shift ? move('previous') : go(now - 1)),
      ArrowUp: () => (shift ? move('above') : go(now + 1)),
      ArrowDown: () => (shift ? move('below') : go(now - 1)),
      PageUp: () => go(now + 10),
      PageDown: () => go(now - 10),
      Home: () => go(-1),
      End: () => go((trace?.events.length ?? 0) - 1),
      Enter: () => trace && select(atCursor(trace, now)),
      ...windowKeys(model, show),
      f: () => show(fitted(actions)),
      k: () => actions.togglePath(),
      '/': () => actions.search(),
      Escape: () => select(undefined),
    };
    const act = lookup(keys, event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}
