/** The keys that zoom and move the window of lanes over time: W, S, A and D as in Perfetto, + and -, and 0 for all. */
import type { LanesModel } from './lanes';
import { pan, type ViewWindow, WHOLE, zoom } from './view-window';

const KEY_ZOOM = 1.5;
const KEY_PAN = 0.2;

export function windowKeys(model: LanesModel, show: (view: ViewWindow) => void): Readonly<Record<string, () => void>> {
  const zoomBy = (factor: number) =>
    show(zoom(model.view, factor, model.across(model.scene?.cursorX ?? Number.NaN), model.smallest));
  const larger = () => zoomBy(KEY_ZOOM);
  const smaller = () => zoomBy(1 / KEY_ZOOM);
  return {
    w: larger,
    '+': larger,
    '=': larger,
    s: smaller,
    '-': smaller,
    a: () => show(pan(model.view, -KEY_PAN)),
    d: () => show(pan(model.view, KEY_PAN)),
    '0': () => show(WHOLE),
  };
}
