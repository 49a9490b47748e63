/**
 * The roads between rooms. Neighbours are joined straight through the gap between them; all others through the street
 * in the middle, each pair on a lane of its own, so no road ever passes behind a room. Where both directions are used
 * each has its own side, and traffic keeps to the right. Pure; called by the scene.
 */
import { bottom, centre, clamp, type Path, type Point, type Rect, right } from '../draw/geometry';
import type { StageLayout } from './layout';

export interface Link {
  readonly from: number;
  readonly to: number;
}

export interface Route extends Link {
  readonly path: Path;
}

/** Half the distance between the two directions of a road. */
const SIDE = 13;
const SIDE_COMPACT = 8;
/** Distance between two roads in the street, and the part of the street that they may fill. */
const LANE = 14;
const STREET_SHARE = 0.7;

/** The routes are laid as if the street ran from left to right; in two columns x and y change places. */
const flipPoint = (p: Point): Point => ({ x: p.y, y: p.x });
const flipRect = (r: Rect): Rect => ({ x: r.y, y: r.x, width: r.height, height: r.width });

function straight(a: Rect, b: Rect): Path | undefined {
  const top = Math.max(a.y, b.y);
  const low = Math.min(bottom(a), bottom(b));
  const leftmost = Math.max(a.x, b.x);
  const rightmost = Math.min(right(a), right(b));
  if (low - top > 30) {
    const y = (top + low) / 2;
    return a.x < b.x
      ? [
          { x: right(a), y },
          { x: b.x, y },
        ]
      : [
          { x: a.x, y },
          { x: right(b), y },
        ];
  }
  if (rightmost - leftmost > 30) {
    const x = (leftmost + rightmost) / 2;
    return a.y < b.y
      ? [
          { x, y: bottom(a) },
          { x, y: b.y },
        ]
      : [
          { x, y: a.y },
          { x, y: bottom(b) },
        ];
  }
  return undefined;
}

/** A straight piece, which runs along an axis, goes through a room's inside. */
function crosses(path: Path, room: Rect): boolean {
  const xs = path.map((p) => p.x);
  const ys = path.map((p) => p.y);
  return (
    Math.min(...xs) < right(room) - 1 &&
    Math.max(...xs) > room.x + 1 &&
    Math.min(...ys) < bottom(room) - 1 &&
    Math.max(...ys) > room.y + 1
  );
}

/** Moves a path to the right of its direction. */
function aside(path: Path, by: number): Path {
  const [a, b] = [path[0], path[1]];
  if (!a || !b) return path;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const shift = { x: (-(b.y - a.y) / length) * by, y: ((b.x - a.x) / length) * by };
  return path.map((p) => ({ x: p.x + shift.x, y: p.y + shift.y }));
}

interface Lane {
  /** Where the middle of the street is, and how far from it this road runs. */
  readonly street: number;
  readonly offset: number;
}

/** From a room's door onto its lane. A room that stands across the end of the street has its door there. */
function wayOut(room: Rect, towards: Rect, { street, offset }: Lane): Path {
  const middle = centre(room);
  const side = Math.sign(centre(towards).x - middle.x);
  const y = street + offset;
  if (Math.abs(middle.y - street) < room.height / 4) return [{ x: side < 0 ? room.x : right(room), y }];
  const x = clamp(middle.x + side * room.width * 0.25 + offset * 2, room.x + 12, right(room) - 12);
  return [
    { x, y: middle.y < street ? bottom(room) : room.y },
    { x, y },
  ];
}

const byStreet = (a: Rect, b: Rect, lane: Lane): Path => [...wayOut(a, b, lane), ...[...wayOut(b, a, lane)].reverse()];

export function routeLinks(layout: StageLayout, links: readonly Link[]): readonly Route[] {
  const flipped = layout.arrangement === 'columns';
  const rooms = flipped ? layout.rooms.map(flipRect) : layout.rooms;
  const used = new Set(links.map((l) => `${l.from}>${l.to}`));
  const above = Math.min(...rooms.map(bottom));
  const below = Math.max(...rooms.map((r) => r.y));
  const street = (above + below) / 2;
  const side = (layout.compact ? SIDE_COMPACT : SIDE) * (flipped ? -1 : 1);
  const directOf = (a: Rect, b: Rect): Path | undefined => {
    const path = straight(a, b);
    return path && !rooms.some((room) => crosses(path, room)) ? path : undefined;
  };
  const through = new Set<string>();
  const known = links.flatMap(({ from, to }) => {
    const a = rooms[from];
    const b = rooms[to];
    if (!a || !b || from === to) return [];
    const direct = directOf(a, b);
    const pair = `${Math.min(from, to)}-${Math.max(from, to)}`;
    if (!direct) through.add(pair);
    return [{ from, to, a, b, direct, pair }];
  });
  const pairs = [...through];
  const lane = Math.min(LANE, (STREET_SHARE * Math.max(0, below - above)) / Math.max(1, pairs.length));
  return known.map(({ from, to, a, b, direct, pair }) => {
    const twoWay = used.has(`${to}>${from}`);
    const way = !twoWay ? 0 : (from < to ? -1 : 1) * lane * 0.25;
    const offset = (pairs.indexOf(pair) - (pairs.length - 1) / 2) * lane + way;
    const path = direct ? aside(direct, twoWay ? side : 0) : byStreet(a, b, { street, offset });
    return { from, to, path: flipped ? path.map(flipPoint) : path };
  });
}
