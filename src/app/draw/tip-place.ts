/**
 * Places a tooltip beside its anchor and inside `bounds` (a figure without controls, or the window), and not over the
 * anchor if there is room elsewhere. Pure.
 */
import { bottom, clamp, type Point, type Rect, right, type Size } from './geometry';

const GAP = 10;
const MARGIN = 6;

export function placeTip(anchor: Rect, tip: Size, bounds: Rect): Point {
  const within = (low: number, size: number, high: number) => Math.max(low + MARGIN, high - size - MARGIN);
  const x = clamp(
    anchor.x + anchor.width / 2 - tip.width / 2,
    bounds.x + MARGIN,
    within(bounds.x, tip.width, right(bounds)),
  );
  const above = anchor.y - GAP - tip.height;
  if (above >= bounds.y + MARGIN) return { x, y: above };
  const below = bottom(anchor) + GAP;
  if (below + tip.height <= bottom(bounds) - MARGIN) return { x, y: below };
  const y = clamp(anchor.y, bounds.y + MARGIN, within(bounds.y, tip.height, bottom(bounds)));
  const after = right(anchor) + GAP;
  if (after + tip.width <= right(bounds) - MARGIN) return { x: after, y };
  return { x: Math.max(bounds.x + MARGIN, anchor.x - GAP - tip.width), y };
}

/** The figure if the tip fits into it, otherwise the window. */
export function boundsFor(tip: Size, figure: Rect | undefined, window: Size): Rect {
  const fits = figure && tip.width + 2 * MARGIN <= figure.width && tip.height + 2 * MARGIN <= figure.height;
  return fits ? figure : { x: 0, y: 0, ...window };
}
