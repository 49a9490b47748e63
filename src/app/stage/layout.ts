/**
 * Places the rooms in rows that alternate direction: to the right, then back to the left. So neighbours in rank order
 * are neighbours on the page, and a ring has no crossing. The number of rows is the one that fits best; the stage never
 * exceeds the given size. Pure: sizes in, rectangles out. Called by the scene; routes.ts lays the roads between the
 * rooms.
 */
import { clamp, type Rect, type Size } from '../draw/geometry';

/** A link from one device to another; each direction is a separate link. */
export interface StageLink {
  readonly from: number;
  readonly to: number;
  /** Packets go from chunk to chunk: between rooms above each other they fly past the rooms' sides. */
  readonly docked?: boolean;
}

/** Columns count from the left, rows from the top; a centred row can start at half a column. */
export interface GridCell {
  readonly column: number;
  readonly row: number;
}

export interface LayoutInput extends Size {
  readonly devices: number;
  /** The largest useful room. */
  readonly largest: Size;
  /** The traffic between rooms, for which the gaps need space. */
  readonly links: readonly StageLink[];
  /** This many rooms are always one below another: the replicas of a pipeline stage. Absent: 1. */
  readonly stack?: number;
}

export interface StageLayout extends Size {
  /** Index = device. */
  readonly rooms: readonly Rect[];
  readonly cells: readonly GridCell[];
  readonly columns: number;
  readonly rows: number;
  /** For phones: packets have no labels. */
  readonly compact: boolean;
  /** Free width beside the outermost rooms for packets between rooms above each other; 0 without such packets. */
  readonly beside: Sides;
}

export interface Sides {
  readonly left: number;
  readonly right: number;
}

/** The way of a link: straight to a neighbour, along the street below a row, or around by the edge of the stage. */
export type Way =
  | { readonly kind: 'straight' }
  /** Street r is above row r; the last one is below all rows. */
  | { readonly kind: 'street'; readonly street: number }
  | { readonly kind: 'around'; readonly side: 'left' | 'right' };

const COMPACT_BELOW = 560;
/** The space of one rank's chunks: below each other in a column, or side by side in a row. */
const COLUMN = { width: 136, height: 60 };
const ROW = { width: 60, height: 100 };
const CHUNK = { width: 56, height: 18 };
const MOST_CHUNKS = 8;
/** The smallest room in which something can be shown. */
const SMALLEST = { width: 70, height: 60 };
const TOO_SMALL = 0.6;
/** The smallest room that holds the name of its rank. A layout with smaller ones is the last choice. */
const NAMED = { width: 58, height: 20 };
const NAMELESS = 1;
/** How much each additional row (on phones: column) must gain to be worth the longer way. */
const BIAS = 0.05;
/** The factor for an incomplete last row, or for one row so long that its ends are far apart. */
const UNEVEN = 0.8;
const LONGEST_ROW = 6;
/** The width of a lane in a street. */
const LANE = 8;
/** The width of a lane at an edge of the stage, and the share of the stage's width that the edge may take. */
const EDGE_LANE = 11;
const EDGE_SHARE = 0.1;
const EDGE_SHARE_COMPACT = 0.17;
/** On a phone there is no room for more lanes than those of eight devices. */
const MOST_WIDE_LANES = 7;
/** The width of a lane in one or two streets, in which a packet must fit. */
const WIDE_LANE = 13;
const STREETS_SHARE = 0.3;
const WIDE_STREETS_SHARE = 0.38;
/** The width beside the rooms: a packet of one column. */
const BESIDE = 20;
const BESIDE_COMPACT = 15;

/** The cells of the rooms, or of stacks of rooms. */
function cellsOf(devices: number, columns: number, stack: number): readonly GridCell[] {
  if (stack > 1)
    return cellsOf(devices / stack, columns, 1).flatMap(({ column, row }) =>
      Array.from({ length: stack }, (_, place) => ({ column, row: row * stack + place })),
    );
  const rows = Math.ceil(devices / columns);
  return Array.from({ length: devices }, (_, d) => {
    const row = Math.floor(d / columns);
    const inRow = Math.min(columns, devices - row * columns);
    // If there are two rows, the second is centred below the first.
    const from = rows === 2 ? (columns - inRow) / 2 : row % 2 === 1 ? columns - inRow : 0;
    const place = d - row * columns;
    return { column: from + (row % 2 === 1 ? inRow - 1 - place : place), row };
  });
}

/** The way of a link between two cells, in a layout with this many columns and rows. */
export function wayBetween(a: GridCell, b: GridCell, { columns, rows }: { columns: number; rows: number }): Way {
  const across = Math.abs(a.column - b.column);
  const down = Math.abs(a.row - b.row);
  if (down === 0 && across === 1) return { kind: 'straight' };
  if (down === 1 && across < 0.6) return { kind: 'straight' };
  if (down === 1) return { kind: 'street', street: Math.max(a.row, b.row) };
  if (down === 0) return { kind: 'street', street: rows > 1 && a.row === rows - 1 ? a.row : a.row + 1 };
  const toRight = columns - 1 - a.column + (columns - 1 - b.column);
  return { kind: 'around', side: columns === 1 || toRight < a.column + b.column ? 'right' : 'left' };
}

/** The number of device pairs on each street and at each edge. */
function detours(input: LayoutInput, cells: readonly GridCell[], grid: { columns: number; rows: number }) {
  const streets = Array.from({ length: grid.rows + 1 }, () => new Set<string>());
  const around = { left: new Set<string>(), right: new Set<string>() };
  for (const { from, to } of input.links) {
    const [a, b] = [cells[from], cells[to]];
    if (!a || !b || from === to) continue;
    const way = wayBetween(a, b, grid);
    const pair = `${Math.min(from, to)}-${Math.max(from, to)}`;
    if (way.kind === 'street') streets[way.street]?.add(pair);
    if (way.kind === 'around') around[way.side].add(pair);
  }
  return { streets: streets.map((s) => s.size), left: around.left.size, right: around.right.size };
}

/** The sides of the stage at which packets fly past rooms from chunk to chunk. */
function besideOf(input: LayoutInput, cells: readonly GridCell[], grid: { columns: number; rows: number }) {
  const sides = { left: false, right: false };
  for (const { from, to, docked } of input.links) {
    const [a, b] = [cells[from], cells[to]];
    if (!docked || !a || !b || a.row === b.row || wayBetween(a, b, grid).kind !== 'straight') continue;
    if (Math.min(a.column, b.column) < 1) sides.left = true;
    if (Math.max(a.column, b.column) > grid.columns - 2) sides.right = true;
  }
  // A single column is centred, so both sides are equal: packet-route takes the left.
  return grid.columns === 1 ? { left: sides.left, right: false } : sides;
}

interface Plan {
  readonly columns: number;
  readonly rows: number;
  readonly cells: readonly GridCell[];
  readonly room: Size;
  readonly gap: Size;
  readonly left: number;
  readonly right: number;
  readonly below: number;
  readonly beside: Sides;
}

function planFor(input: LayoutInput, columns: number, compact: boolean): Plan {
  const { width, height, devices, links, largest, stack = 1 } = input;
  const rows = stack * Math.ceil(devices / stack / columns);
  const cells = cellsOf(devices, columns, stack);
  const busy = detours(input, cells, { columns, rows });
  const margin = compact ? 8 : 12;
  const traffic = links.length > 0;
  const own = besideOf(input, cells, { columns, rows });
  const wide = compact ? BESIDE_COMPACT : BESIDE;
  const beside = { left: own.left ? wide : 0, right: own.right ? wide : 0 };
  const share = {
    edge: compact ? EDGE_SHARE_COMPACT : EDGE_SHARE,
    streets: rows > 2 ? STREETS_SHARE : WIDE_STREETS_SHARE,
  };
  const edge = (pairs: number, past: number) => {
    const most = (pairs > MOST_WIDE_LANES ? EDGE_SHARE : share.edge) * width;
    return Math.max(margin, past) + (pairs === 0 ? 0 : clamp(pairs * EDGE_LANE, 8, most));
  };
  const lane = rows > 2 ? LANE : WIDE_LANE;
  const street = (pairs: number) => (pairs === 0 ? 0 : clamp(10 + pairs * lane, 18, (share.streets * height) / rows));
  const inner = Math.max(0, ...busy.streets.slice(1, -1));
  const gap = {
    width: traffic ? clamp((0.18 * width) / columns, 16, columns > 2 ? 60 : 130) : 16,
    height: Math.max(street(inner), traffic ? clamp((0.15 * height) / rows, 14, 60) : 14),
  };
  const [left, right] = [edge(busy.left, beside.left), edge(busy.right, beside.right)];
  const below = margin / 2 + street(busy.streets.at(-1) ?? 0);
  const room = {
    width: Math.min((width - left - right - gap.width * (columns - 1)) / columns, largest.width),
    height: Math.min((height - margin / 2 - below - gap.height * (rows - 1)) / rows, largest.height),
  };
  return { columns, rows, cells, room, gap, left, right, below, beside };
}

/** How well a rank's content fits into the room; 1: everything fits. */
function fits({ width, height }: Size, chunks: number): number {
  const within = (need: Size) => Math.min(1, width / need.width, height / need.height);
  const shown = Math.min(chunks, MOST_CHUNKS);
  const small = width < SMALLEST.width || height < SMALLEST.height ? TOO_SMALL : 1;
  const whole = Math.max(
    within({ width: COLUMN.width, height: COLUMN.height + CHUNK.height * Math.max(3, shown) }),
    within({ width: ROW.width + CHUNK.width * Math.max(3, shown / 2), height: ROW.height }),
  );
  return small * whole;
}

export function layoutStage(given: LayoutInput): StageLayout {
  // The stage draws a link's settings before a session has checked them, so `stack` can exceed the number of devices.
  const input = given.devices % (given.stack ?? 1) === 0 ? given : { ...given, stack: 1 };
  const { devices, stack = 1 } = input;
  const stacks = devices / stack;
  const compact = input.width < COMPACT_BELOW;
  const nameless = ({ room }: Plan) => (room.width < NAMED.width || room.height < NAMED.height ? NAMELESS : 0);
  const worth = (p: Plan) => {
    const even = p.rows > 2 ? stacks % p.columns === 0 : p.rows > 1 || p.columns <= LONGEST_ROW;
    return fits(p.room, devices) * (even ? 1 : UNEVEN) - BIAS * ((compact ? p.columns : p.rows) - 1) - nameless(p);
  };
  const plans = Array.from({ length: stacks }, (_, i) => i + 1)
    .filter((columns) => Math.ceil(stacks / Math.ceil(stacks / columns)) === columns)
    .map((columns) => planFor(input, columns, compact));
  const best = plans.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  const { room, gap, columns, rows, cells, beside } = best;
  const free = {
    x: input.width - best.left - best.right - columns * room.width - (columns - 1) * gap.width,
    y: input.height - best.below - rows * room.height - (rows - 1) * gap.height,
  };
  return {
    columns,
    rows,
    cells,
    compact,
    beside,
    width: input.width,
    height: input.height,
    rooms: cells.map(({ column, row }) => ({
      x: Math.round(best.left + free.x / 2 + column * (room.width + gap.width)),
      y: Math.round(free.y / 2 + row * (room.height + gap.height)),
      width: Math.max(0, Math.floor(room.width)),
      height: Math.max(0, Math.floor(room.height)),
    })),
  };
}
