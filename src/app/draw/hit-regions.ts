/**
 * What lies under the pointer. Items are listed in the order in which they are painted, so the last one that contains a
 * point is the one that is seen. Small items have a margin: a cell of 5 pixels is no target for a finger.
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

/** The topmost item at the point; else the nearest within `margin`. */
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
