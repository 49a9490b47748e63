/**
 * The keys that only the timeline of a run has: they move the time cursor and the selection. timeline-keys.ts lists
 * them for the user, with those of all lanes (lanes-keys.ts).
 */
import type { KeyboardEvent } from 'react';
import type { LaneDirection } from '../lanes/move-along';
import type { App } from '../state/app-state';
import { atCursor, moveSelection, type Selection } from './selection';
import type { TimelineModel } from './timeline-model';

export interface TimelineKeyActions {
  readonly model: TimelineModel;
  readonly app: App;
  readonly selection: Selection | undefined;
  go(event: number): void;
  reveal(selection: Selection): void;
  togglePath(): void;
}

export function timelineKeys(
  actions: TimelineKeyActions,
  { shiftKey: shift }: KeyboardEvent,
): Readonly<Record<string, () => void>> {
  const { model, app, selection, go, reveal } = actions;
  const trace = app.cursor && app.traces[app.cursor.trace];
  const now = app.cursor?.event ?? -1;
  const selectAtCursor = () => {
    const chosen = trace && atCursor(trace, now);
    if (chosen) reveal(chosen);
  };
  const move = (direction: LaneDirection) => {
    const parts = model.parts(app);
    if (!parts) return;
    if (!selection) return selectAtCursor();
    const next = moveSelection(parts, selection, direction);
    if (next) reveal(next);
  };
  return {
    ArrowRight: () => (shift ? move('next') : go(now + 1)),
    ArrowLeft: () => (shift ? move('previous') : go(now - 1)),
    ArrowUp: () => (shift ? move('above') : go(now + 1)),
    ArrowDown: () => (shift ? move('below') : go(now - 1)),
    PageUp: () => go(now + 10),
    PageDown: () => go(now - 10),
    Home: () => go(-1),
    End: () => go((trace?.events.length ?? 0) - 1),
    Enter: selectAtCursor,
    k: actions.togglePath,
  };
}
