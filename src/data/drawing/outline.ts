/**
 * Signed distances of plane figures, negative inside, for filling them with antialiased edges. Figures lie around the
 * origin with an outer radius of about 1. Called by the shapes.
 */
import { at } from '../../base/invariant';

export type OutlineFigure = (x: number, y: number) => number;
type Point = readonly [x: number, y: number];

export const disc: OutlineFigure = (x, y) => Math.sqrt(x * x + y * y) - 1;

/** A ring whose inside radius is `inner`. */
export const ring =
  (inner: number): OutlineFigure =>
  (x, y) =>
    Math.abs(Math.sqrt(x * x + y * y) - (1 + inner) / 2) - (1 - inner) / 2;

/** A closed polygon: the distance to its nearest edge, with the sign of whether the point lies inside (even-odd). */
export function polygon(corners: readonly Point[]): OutlineFigure {
  const edges = corners.map((a, i) => [a, at(corners, (i + 1) % corners.length)] as const);
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY;
    let inside = false;
    for (const [[ax, ay], [bx, by]] of edges) {
      const dx = bx - ax;
      const dy = by - ay;
      const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
      nearest = Math.min(nearest, (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2);
      if (ay > y !== by > y && x < ax + ((y - ay) / dy) * dx) inside = !inside;
    }
    return inside ? -Math.sqrt(nearest) : Math.sqrt(nearest);
  };
}

/**
 * A star: `tips` corners on the unit circle, the first one up, and as many between them at radius `inner` (1: a regular
 * polygon with twice as many corners).
 */
export function star(tips: number, inner: number): OutlineFigure {
  return polygon(
    Array.from({ length: 2 * tips }, (_, i): Point => {
      const radius = i % 2 === 0 ? 1 : inner;
      const angle = (Math.PI * i) / tips;
      return [radius * Math.sin(angle), -radius * Math.cos(angle)];
    }),
  );
}

/** A regular polygon with `n` corners on the unit circle, the first one up. */
export const regular = (n: number): OutlineFigure => star(n, Math.cos(Math.PI / n));

/** Two crossing bars of half width `half`. */
export function cross(half: number): OutlineFigure {
  const end = Math.sqrt(1 - half * half);
  const bar = (x: number, y: number) => Math.max(Math.abs(x) - end, Math.abs(y) - half);
  return (x, y) => Math.min(bar(x, y), bar(y, x));
}
