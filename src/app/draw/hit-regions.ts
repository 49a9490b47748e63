/**
 * Finds the item under the pointer. Items are listed in painting order, so the last item that contains a point is the
 * visible one. Small items have a margin, because a finger cannot hit a cell of 5 pixels.
 */
import { bottom, type Point, type Rect, right } from './geometry';

export interface HitItem {
  readonly id: string;
  readonly rect: Rect;
}

const squaredDistance = (r: Rect, p: Point): number => {
  const dx = Math.max(r.x - p.x, 0, p.x - right(r));
  const dy = Math.max(r.y - p.y, 0, p.y - bottom(r));
  return dx * dx + dy * dy;
};

/** The topmost item at the point; otherwise the nearest within `margin`. */
export function hitTest<T extends HitItem>(items: readonly T[], point: Point, margin = 0): T | undefined {
  let best: T | undefined;
  let bestDistance = margin * margin;
  for (const item of items) {
    const distance = squaredDistance(item.rect, point);
    if (distance > bestDistance) continue;
    best = item;
    bestDistance = distance;
  }
  return best;
}
