/**
 * The way of a packet from the chunk that is sent to the one that receives it. Rooms are joined by roads (routes.ts);
 * here a road's ends are moved to the height of the chunks, so that an arrow between equal rows is level. Pure.
 */
import { bottom, centre, type Path, type Rect, right } from '../draw/geometry';
import type { ChunksLayout } from './chunk-layout';

export interface Dock {
  /** The frame of the chunk. */
  readonly frame: Rect;
  readonly room: Rect;
  readonly kind: ChunksLayout['kind'];
}

/** How far from the rooms an arrow turns that leaves and arrives on the same side of them. */
const OUT = 8;

/** Tiles side by side would be crossed: their arrows begin at the edge of the room. */
const side = ({ frame, room, kind }: Dock, towards: number): number => {
  const box = kind === 'rows' ? frame : room;
  return towards > 0 ? right(box) : box.x;
};

export function dockedPath(path: Path, from: Dock, to: Dock, width: number): Path {
  const [a, b] = [path[0], path.at(-1)];
  if (!a || !b) return path;
  if (path.length > 2) return around(path, from, to);
  const [start, end] = [centre(from.frame), centre(to.frame)];
  if (Math.abs(b.x - a.x) > Math.abs(b.y - a.y)) {
    const direction = Math.sign(b.x - a.x);
    const first = { x: side(from, direction), y: start.y };
    const last = { x: side(to, -direction), y: end.y };
    if (Math.abs(start.y - end.y) < 1) return [first, last];
    const x = (a.x + b.x) / 2;
    return [first, { x, y: first.y }, { x, y: last.y }, last];
  }
  if (from.kind === 'tiles' || to.kind === 'tiles') {
    if (Math.abs(start.x - end.x) < 1)
      return [
        { x: start.x, y: a.y },
        { x: start.x, y: b.y },
      ];
    return path;
  }
  // One above the other: out at the nearer side of the stage, past the rooms, and in at the other row.
  const outward = centre(from.room).x > width / 2 ? 1 : -1;
  const x = outward > 0 ? Math.max(right(from.room), right(to.room)) + OUT : Math.min(from.room.x, to.room.x) - OUT;
  return [
    { x: side(from, outward), y: start.y },
    { x, y: start.y },
    { x, y: end.y },
    { x: side(to, outward), y: end.y },
  ];
}

/** A longer road begins and ends at the chunks where it leaves the rooms by their sides. */
function around(path: Path, from: Dock, to: Dock): Path {
  const points = [...path];
  const dock = (at: number, next: number, { frame, room }: Dock) => {
    const [end, beside] = [points[at], points[next]];
    if (!end || !beside || end.y !== beside.y || end.y < room.y || end.y > bottom(room)) return;
    const { y } = centre(frame);
    points[at] = { x: beside.x > centre(room).x ? right(frame) : frame.x, y };
    points[next] = { x: beside.x, y };
  };
  dock(0, 1, from);
  dock(points.length - 1, points.length - 2, to);
  return points;
}
