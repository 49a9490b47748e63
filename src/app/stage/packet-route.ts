/**
 * The way of a packet from the sent chunk to the receiving chunk. Roads join rooms (routes.ts); this module moves a
 * road's ends to the height of the chunks, so that an arrow between equal rows is level. Pure.
 */
import { bottom, centre, type Path, type Rect, right } from '../draw/geometry';
import type { ChunksLayout } from './chunk-places';
import type { StageLayout } from './layout';
import type { Road } from './routes';

export interface Dock {
  /** The frame of the chunk. */
  readonly frame: Rect;
  readonly room: Rect;
  readonly kind: ChunksLayout['kind'];
}

/** How far from the rooms an arrow turns that leaves and arrives on the same side of them. */
const OUT = 8;

/** An arrow would cross other tiles or bars of the same line, so it begins at the edge of the room. */
const side = ({ frame, room, kind }: Dock, towards: number): number => {
  const box = kind === 'rows' ? frame : room;
  return towards > 0 ? right(box) : box.x;
};

export function dockedRoad(road: Road, from: Dock, to: Dock, stage: Pick<StageLayout, 'width' | 'beside'>): Road {
  const { path } = road;
  const [a, b] = [path[0], path.at(-1)];
  if (!a || !b) return road;
  if (path.length > 2) return { ...road, path: around(path, from, to) };
  const [start, end] = [centre(from.frame), centre(to.frame)];
  if (Math.abs(b.x - a.x) > Math.abs(b.y - a.y)) {
    const direction = Math.sign(b.x - a.x);
    const first = { x: side(from, direction), y: start.y };
    const last = { x: side(to, -direction), y: end.y };
    if (Math.abs(start.y - end.y) < 1) return { path: [first, last] };
    const x = (a.x + b.x) / 2;
    return { path: [first, { x, y: first.y }, { x, y: last.y }, last] };
  }
  if (from.kind !== 'rows' || to.kind !== 'rows') {
    if (Math.abs(start.x - end.x) >= 1) return road;
    return {
      path: [
        { x: start.x, y: a.y },
        { x: start.x, y: b.y },
      ],
    };
  }
  // Rooms above each other: the packet leaves at the nearer side of the stage, passes the rooms, and enters at the
  // other row.
  const outward = centre(from.room).x > stage.width / 2 ? 1 : -1;
  const edge = outward > 0 ? Math.max(right(from.room), right(to.room)) : Math.min(from.room.x, to.room.x);
  const free = outward > 0 ? stage.beside.right : stage.beside.left;
  const x = edge + outward * (free > 0 ? free / 2 : OUT);
  return {
    path: [
      { x: side(from, outward), y: start.y },
      { x, y: start.y },
      { x, y: end.y },
      { x: side(to, outward), y: end.y },
    ],
    lane: free > 0 ? free : 2 * OUT,
  };
}

/** Moves the ends of a longer road to the chunks, if the road leaves and enters the rooms at their sides. */
function around(path: Path, from: Dock, to: Dock): Path {
  const points = [...path];
  const dock = (at: number, next: number, own: Dock) => {
    const { frame, room } = own;
    const [end, beside] = [points[at], points[next]];
    if (!end || !beside || end.y !== beside.y || end.y < room.y || end.y > bottom(room)) return;
    const { y } = centre(frame);
    points[at] = { x: side(own, beside.x - centre(room).x), y };
    points[next] = { x: beside.x, y };
  };
  dock(0, 1, from);
  dock(points.length - 1, points.length - 2, to);
  return points;
}
