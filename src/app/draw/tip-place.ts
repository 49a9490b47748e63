/**
 * Where a tooltip stands: beside what it explains, never outside the window, never over its anchor where there is room
 * elsewhere. Pure.
 */
import { bottom, clamp, type Point, type Rect, right, type Size } from './geometry';

const GAP = 10;
const MARGIN = 6;

export function placeTip(anchor: Rect, tip: Size, window: Size): Point {
  const x = clamp(
    anchor.x + anchor.width / 2 - tip.width / 2,
    MARGIN,
    Math.max(MARGIN, window.width - tip.width - MARGIN),
  );
  const above = anchor.y - GAP - tip.height;
  if (above >= MARGIN) return { x, y: above };
  const below = bottom(anchor) + GAP;
  if (below + tip.height <= window.height - MARGIN) return { x, y: below };
  const y = clamp(anchor.y, MARGIN, Math.max(MARGIN, window.height - tip.height - MARGIN));
  const after = right(anchor) + GAP;
  if (after + tip.width <= window.width - MARGIN) return { x: after, y };
  return { x: Math.max(MARGIN, anchor.x - GAP - tip.width), y };
}
