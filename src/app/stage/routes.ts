/**
 * The roads between rooms. A road between neighbours leads straight through their gap; other roads lead along the
 * street between two rows or around by the edge of the stage, each pair on its own lane, so that no road passes behind
 * a room. If both directions are used, traffic keeps to the right. Pure; called by the scene.
 */
import { bottom, centre, clamp, type Path, type Point, type Rect, right } from '../draw/geometry';
import { type StageLayout, type StageLink, type Way, wayBetween } from './layout';

/** The path of a packet between two rooms. */
export interface Road {
  readonly path: Path;
  /** The most width of a packet across the road, so that it meets no other packet; undefined: the road is wide. */
  readonly lane?: number;
}

export interface Route extends StageLink, Road {}

/** Half the distance between the two directions of a level road: two packets three cells high can pass each other. */
const SIDE = 20;
const SIDE_COMPACT = 16;
/** The most of this distance, as a share of a room's height. */
const LEVEL_SHARE = 0.25;
/** Half the distance on an upright road: two packets eight cells wide can pass each other. */
const SIDE_UPRIGHT = 42;
/** The most of this distance, as a share of a room's width. */
const UPRIGHT_SHARE = 0.2;
/** The most distance between two roads in a street, and the share of the street that roads may fill. */
const LANE = 16;
const STREET_SHARE = 0.9;
/** The distance between packets on neighbouring lanes, and on the two sides of a road. */
const APART = 1;

function straight(a: Rect, b: Rect): Path {
  const top = Math.max(a.y, b.y);
  const low = Math.min(bottom(a), bottom(b));
  if (low > top) {
    const y = (top + low) / 2;
    return a.x < b.x ? level(right(a), b.x, y) : level(a.x, right(b), y);
  }
  const x = (Math.max(a.x, b.x) + Math.min(right(a), right(b))) / 2;
  return a.y < b.y ? upright(x, bottom(a), b.y) : upright(x, a.y, bottom(b));
}

const level = (from: number, to: number, y: number): Path => [
  { x: from, y },
  { x: to, y },
];
const upright = (x: number, from: number, to: number): Path => [
  { x, y: from },
  { x, y: to },
];

/** Moves a path to the right of its direction. */
function aside(path: Path, by: number): Path {
  const [a, b] = [path[0], path[1]];
  if (!a || !b) return path;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const shift = { x: (-(b.y - a.y) / length) * by, y: ((b.x - a.x) / length) * by };
  return path.map((p) => ({ x: p.x + shift.x, y: p.y + shift.y }));
}

/** The distance between a room's doors (where roads leave it), in lanes, if the room is wide enough. */
const DOORS = 2;
/** The most distance of a door from the doors' middle, as a share of a room's width. */
const DOORS_SHARE = 0.22;

/**
 * The way from a room's door onto its lane at height y, which is `offset` lanes from the middle of the street; `most`:
 * half of the lanes.
 */
function door(room: Rect, towards: Rect, y: number, offset = 0, most = 0): readonly Point[] {
  const middle = centre(room);
  const side = Math.sign(centre(towards).x - middle.x);
  const by = offset * Math.min(DOORS, (DOORS_SHARE * room.width) / Math.max(1, most));
  const x = clamp(middle.x + side * room.width * 0.25 + by, room.x + 6, right(room) - 6);
  return [
    { x, y: middle.y < y ? bottom(room) : room.y },
    { x, y },
  ];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The free space above each row, and below the last row. */
function streetsOf({ rooms, cells, rows, height }: StageLayout): readonly Span[] {
  const inRow = (row: number) => rooms.filter((_, d) => cells[d]?.row === row);
  const below = (row: number) => (row < 0 ? 0 : Math.max(...inRow(row).map(bottom)));
  const above = (row: number) => (row === rows ? height : Math.min(...inRow(row).map((r) => r.y)));
  return Array.from({ length: rows + 1 }, (_, row) => ({ from: below(row - 1), to: above(row) }));
}

/** The position of the n-th of `count` lanes within a span. */
function laneAt({ from, to }: Span, index: number, count: number): { readonly at: number; readonly lane: number } {
  const lane = Math.min(LANE, (STREET_SHARE * Math.max(0, to - from)) / Math.max(1, count));
  return { at: (from + to) / 2 + (index - (count - 1) / 2) * lane, lane };
}

interface Known extends StageLink {
  readonly a: Rect;
  readonly b: Rect;
  readonly way: Way;
  /** The street or edge whose lanes the pair shares with other pairs. */
  readonly place: string;
  readonly pair: string;
}

function known(layout: StageLayout, { from, to }: StageLink): readonly Known[] {
  const [a, b] = [layout.rooms[from], layout.rooms[to]];
  const [start, end] = [layout.cells[from], layout.cells[to]];
  if (!a || !b || !start || !end || from === to) return [];
  const way = wayBetween(start, end, layout);
  const place = way.kind === 'street' ? `street ${way.street}` : way.kind === 'around' ? way.side : '';
  return [{ from, to, a, b, way, place, pair: `${Math.min(from, to)}-${Math.max(from, to)}` }];
}

export function routeLinks(layout: StageLayout, links: readonly StageLink[]): readonly Route[] {
  const { rooms } = layout;
  const used = new Set(links.map((l) => `${l.from}>${l.to}`));
  const streets = streetsOf(layout);
  const edges = {
    left: { from: 0, to: Math.min(...rooms.map((r) => r.x)) - layout.beside.left },
    right: { from: Math.max(...rooms.map(right)) + layout.beside.right, to: layout.width },
  };
  const all = links.flatMap((link) => known(layout, link));
  const pairsAt = (place: string) => [...new Set(all.flatMap((k) => (k.place === place ? [k.pair] : [])))];
  const sharing = new Map([...new Set(all.map((k) => k.place))].map((place) => [place, pairsAt(place)]));
  const widest = layout.compact ? SIDE_COMPACT : SIDE;

  /** The way to the edge through the street beside the room, if the room is not at that edge. */
  const toEdge = (room: Rect, row: number, x: number, down: boolean): readonly Point[] => {
    const out = x > centre(room).x ? right(room) : room.x;
    const beyond = (r: Rect) => (x > out ? r.x > room.x : r.x < room.x);
    if (!rooms.some((r) => r.y === room.y && beyond(r)))
      return [
        { x: out, y: centre(room).y },
        { x, y: centre(room).y },
      ];
    const street = streets[down ? row + 1 : row];
    const y = street ? (street.from + street.to) / 2 : bottom(room);
    return [...door(room, { ...room, x }, y), { x, y }];
  };

  return all.map(({ from, to, a, b, way, place, pair }) => {
    const twoWay = used.has(`${to}>${from}`);
    if (way.kind === 'straight') {
      const path = straight(a, b);
      if (!twoWay) return { from, to, path };
      const isUpright = path[0]?.x === path[1]?.x;
      const side = isUpright
        ? Math.max(widest, Math.min(SIDE_UPRIGHT, UPRIGHT_SHARE * Math.min(a.width, b.width)))
        : Math.min(widest, LEVEL_SHARE * Math.min(a.height, b.height));
      return { from, to, path: aside(path, side), lane: 2 * side - APART };
    }
    const pairs = sharing.get(place) ?? [];
    const span = way.kind === 'street' ? streets[way.street] : edges[way.side];
    const { at, lane } = laneAt(span ?? { from: 0, to: 0 }, pairs.indexOf(pair), pairs.length);
    const own = at + (twoWay ? (from < to ? -1 : 1) * lane * 0.25 : 0);
    const road = { from, to, lane: lane - APART };
    if (way.kind === 'street') {
      const offset = own - ((span?.from ?? 0) + (span?.to ?? 0)) / 2;
      const most = (lane * pairs.length) / 2;
      return { ...road, path: [...door(a, b, own, offset, most), ...[...door(b, a, own, offset, most)].reverse()] };
    }
    const rows = [layout.cells[from]?.row ?? 0, layout.cells[to]?.row ?? 0] as const;
    const down = rows[0] < rows[1];
    return { ...road, path: [...toEdge(a, rows[0], own, down), ...[...toEdge(b, rows[1], own, !down)].reverse()] };
  });
}
