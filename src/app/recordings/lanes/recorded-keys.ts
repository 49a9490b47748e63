/** Handles the keys of a recorded timeline while it has the focus. Other keys are left to the page. */
import type { KeyboardEvent } from 'react';
import { lookup } from '../../../base/lookup';
import { between, reveal, type ViewWindow, WHOLE } from '../../lanes/view-window';
import { windowKeys } from '../../lanes/window-keys';
import { stretchOfFound } from './found-words';
import type { RecordedModel } from './recorded-model';
import type { FoundAt } from './recorded-scene-types';
import { type Direction, moveFound } from './recorded-selection';

/** The margin beside a shown selection, as a share of the window. */
const AIR = 0.15;

export interface RecordedKeyActions {
  readonly model: RecordedModel;
  selected(): FoundAt | undefined;
  show(view: ViewWindow): void;
  select(found: FoundAt | undefined): void;
  search(): void;
}

/** The window in which the selection is visible. */
export function revealed(model: RecordedModel, found: FoundAt): ViewWindow {
  const { from, to } = model.share(stretchOfFound(model.recording, found));
  return reveal(model.view, from, to, model.smallest);
}

export function fitted(model: RecordedModel, found: FoundAt | undefined): ViewWindow {
  if (!found) return WHOLE;
  const { from, to } = model.share(stretchOfFound(model.recording, found));
  const air = AIR * (to - from);
  return between(Math.max(0, from - air), Math.min(1, to + air), model.smallest);
}

export function recordedKeyDown({ model, selected, show, select, search }: RecordedKeyActions) {
  const move = (direction: Direction) => {
    const from = selected();
    const stretch = from && stretchOfFound(model.recording, from);
    const next = moveFound(model.ranks, from, stretch, direction);
    if (!next) return;
    select(next);
    show(revealed(model, next));
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => move('next'),
      ArrowLeft: () => move('previous'),
      ArrowUp: () => move('above'),
      ArrowDown: () => move('below'),
      ...windowKeys(model, show),
      f: () => show(fitted(model, selected())),
      '/': search,
      ...(selected() ? { Escape: () => select(undefined) } : {}),
    };
    const act = lookup(keys, event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}
