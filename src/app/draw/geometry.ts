/**
 * Points, rectangles and paths of straight pieces, in CSS pixels. Pure; the layouts of stage and timeline and the
 * painters share it.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rect extends Point, Size {}

export const right = (r: Rect): number => r.x + r.width;
export const bottom = (r: Rect): number => r.y + r.height;
export const centre = (r: Rect): Point => ({ x: r.x + r.width / 2, y: r.y + r.height / 2 });

export const contains = (r: Rect, p: Point): boolean => p.x >= r.x && p.x < right(r) && p.y >= r.y && p.y < bottom(r);

export const overlaps = (a: Rect, b: Rect): boolean =>
  a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a);

/** The rectangle made larger (or, by a negative amount, smaller) on every side. */
export const grow = (r: Rect, by: number): Rect => ({
  x: r.x - by,
  y: r.y - by,
  width: Math.max(0, r.width + 2 * by),
  height: Math.max(0, r.height + 2 * by),
});

export const around = (c: Point, size: Size): Rect => ({ x: c.x - size.width / 2, y: c.y - size.height / 2, ...size });

export const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** A path of straight pieces. */
export type Path = readonly Point[];

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

export function pathLength(path: Path): number {
  let total = 0;
  path.forEach((p, i) => {
    const before = path[i - 1];
    if (before) total += distance(before, p);
  });
  return total;
}

export interface PathPoint extends Point {
  /** Direction of travel there, a unit vector. */
  readonly dx: number;
  readonly dy: number;
}

/** The point at a fraction 0..1 of the path's length. */
export function pointAlong(path: Path, fraction: number): PathPoint {
  let left = pathLength(path) * clamp(fraction, 0, 1);
  let last: PathPoint = { x: path[0]?.x ?? 0, y: path[0]?.y ?? 0, dx: 1, dy: 0 };
  for (let i = 1; i < path.length; i++) {
    const a = path[i - 1];
    const b = path[i];
    if (!a || !b) break;
    const length = distance(a, b);
    if (length === 0) continue;
    const dx = (b.x - a.x) / length;
    const dy = (b.y - a.y) / length;
    if (left <= length) return { x: a.x + dx * left, y: a.y + dy * left, dx, dy };
    left -= length;
    last = { x: b.x, y: b.y, dx, dy };
  }
  return last;
}

/** The part of the path up to a fraction of its length. */
export function pathUntil(path: Path, fraction: number): Path {
  let left = pathLength(path) * clamp(fraction, 0, 1);
  const result: Point[] = path[0] ? [path[0]] : [];
  for (let i = 1; i < path.length; i++) {
    const a = path[i - 1];
    const b = path[i];
    if (!a || !b) break;
    const length = distance(a, b);
    if (left <= length) {
      const t = length === 0 ? 0 : left / length;
      result.push({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t });
      break;
    }
    result.push(b);
    left -= length;
  }
  return result;
}
