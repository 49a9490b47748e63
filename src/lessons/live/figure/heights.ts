/**
 * The heights of a live figure's views: equal to those of the pictures that they replace, so that nothing below moves.
 * Measured on the static figure, even while it is hidden.
 */
import type { View } from '../../lesson';

export type Heights = ReadonlyMap<View, number>;

/** Heights of views without a picture in the static figure. */
const USUAL: Readonly<Record<View, number>> = {
  stage: 380,
  timeline: 240,
  schedule: 230,
  editor: 260,
  loss: 220,
  field: 190,
  memory: 280,
  curve: 265,
  range: 280,
  scale: 220,
  buckets: 240,
  devices: 180,
  lab: 0,
};

export interface MeasuredHeights {
  readonly whole: number;
  readonly views: Heights;
}

/** Measures only views in `show`, because the names come from the HTML. */
export function measure(still: HTMLElement, show: readonly View[]): MeasuredHeights {
  const hidden = still.hidden;
  still.hidden = false;
  const heightOf = (element: Element | null) => Math.round(element?.getBoundingClientRect().height ?? 0);
  const views = new Map(
    show.map((view) => [view, heightOf(still.querySelector(`[data-view="${view}"]`)) || USUAL[view]]),
  );
  const whole = heightOf(still);
  still.hidden = hidden;
  return { whole, views };
}
