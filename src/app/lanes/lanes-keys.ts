/**
 * The keys of lanes over time while they have the focus. W, S, A and D zoom and move the window as in Perfetto, as do +
 * and -; 0 shows everything, F zooms to the selection, and / moves the focus to the search. The page handles other
 * keys.
 */
import type { KeyboardEvent } from 'react';
import { lookup } from '../../base/lookup';
import type { LanesModel } from './lanes';
import { pan, type ViewWindow, WHOLE, withAir, zoom } from './view-window';

const KEY_ZOOM = 1.5;
const KEY_PAN = 0.2;

export interface LanesKeyActions {
  readonly model: LanesModel;
  show(view: ViewWindow): void;
  /** The selected stretch, as shares of the whole time. */
  selected(): ViewWindow | undefined;
  search(): void;
  /** The keys that only this timeline has. */
  own(event: KeyboardEvent): Readonly<Record<string, () => void>>;
}

type Keys = Readonly<Record<string, () => void>>;

function windowKeys({ model, show, selected, search }: LanesKeyActions): Keys {
  const zoomBy = (factor: number) =>
    show(zoom(model.view, factor, model.across(model.scene?.cursorX ?? Number.NaN), model.smallest));
  const larger = () => zoomBy(KEY_ZOOM);
  const smaller = () => zoomBy(1 / KEY_ZOOM);
  const fit = () => {
    const chosen = selected();
    show(chosen ? withAir(chosen, model.smallest) : WHOLE);
  };
  return {
    w: larger,
    '+': larger,
    '=': larger,
    s: smaller,
    '-': smaller,
    a: () => show(pan(model.view, -KEY_PAN)),
    d: () => show(pan(model.view, KEY_PAN)),
    '0': () => show(WHOLE),
    f: fit,
    '/': search,
  };
}

export const lanesKeyDown = (actions: LanesKeyActions) => (event: KeyboardEvent) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = lookup({ ...windowKeys(actions), ...actions.own(event) }, event.key);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
};
