/**
 * The packets that are on their way at the cursor, with their values. A packet's area grows with the square root of its
 * bytes, up to the trace's largest transfer, so that a kibibyte is larger than a byte and a mebibyte still fits. Pure.
 */
import type { Packet } from '../../trace/packets';
import {
  around,
  clamp,
  grow,
  type Path,
  type PathPoint,
  type Point,
  pathLength,
  pointAlong,
  type Size,
} from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import type { Transit } from './facts';
import type { Road } from './routes';
import type { PacketScene } from './scene-types';

const CELL = 9;
const CELL_COMPACT = 7;
const MOST_COLUMNS = 8;
const MOST_ROWS = 3;

/** The number of cells that a packet of this many bytes shows. */
export type PacketSize = (bytes: number) => number;

export function packetSizes(packets: readonly Pick<Packet, 'bytes'>[]): PacketSize {
  const most = Math.max(4, ...packets.map((p) => p.bytes));
  const largest = Math.min(most / 4, MOST_COLUMNS * MOST_ROWS);
  return (bytes) => Math.max(1, Math.min(Math.max(2, Math.round(largest * Math.sqrt(bytes / most))), bytes / 4));
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
}

/** A grid for the cells about twice as wide as high, or as wide and high as fits. */
function gridFor(cells: number, most: Grid): Grid {
  const wanted = Math.min(cells <= 5 ? 1 : cells <= 12 ? 2 : MOST_ROWS, Math.max(1, most.rows));
  const columns = Math.min(Math.ceil(cells / wanted), most.columns);
  return { rows: Math.min(MOST_ROWS, Math.max(1, most.rows), Math.ceil(cells / columns)), columns };
}

const FRAME = 8;
/** The frame of a packet on a narrow lane. */
const THIN_FRAME = 5;
const SMALLEST_CELL = 4;
/** The most columns of a packet in a street, so that packets do not collide when they turn into it. */
const COLUMNS_IN_STREET = 4;
/** The share of the way between two rooms that a packet may fill. */
const SHARE_OF_WAY = 0.6;

/** The packet starts with its tail at one end and stops with its head at the other, if the way is long enough. */
function placeOn(path: Path, progress: number, size: Size): PathPoint {
  const length = pathLength(path);
  const from = pointAlong(path, 0);
  const to = pointAlong(path, 1);
  const half = (p: PathPoint) =>
    Math.min(length / 2, (Math.abs(p.dx) > Math.abs(p.dy) ? size.width : size.height) / 2 + 2);
  const start = half(from);
  const way = length - start - half(to);
  return pointAlong(path, length === 0 ? 0 : (start + progress * way) / length);
}

export interface PacketBox extends Size {
  readonly columns: number;
  readonly rows: number;
  /** The distance between the packet's edge and its cells. */
  readonly frame: number;
}

const isUpright = ([a, b]: readonly Point[]): boolean =>
  a !== undefined && b !== undefined && Math.abs(b.y - a.y) > Math.abs(b.x - a.x);

/** The longest straight piece of a path. */
export function longestPiece(path: Path): readonly [Point, Point] {
  let longest: readonly [Point, Point] = [path[0] ?? { x: 0, y: 0 }, path[0] ?? { x: 0, y: 0 }];
  path.forEach((b, i) => {
    const a = path[i - 1];
    if (a && pathLength([a, b]) > pathLength(longest)) longest = [a, b];
  });
  return longest;
}

/**
 * The most cells with which a packet does not cover the rooms: few columns on a level way between two rooms, few rows
 * on an upright way, one row or column on a narrow lane.
 */
function roomOn({ path, lane }: Road, cell: number): Grid {
  const all = { columns: MOST_COLUMNS, rows: MOST_ROWS };
  const across = lane === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((lane - FRAME) / cell));
  const between = (from: Point, to: Point): number =>
    Math.max(2, Math.min(MOST_COLUMNS, Math.floor((SHARE_OF_WAY * Math.abs(to.x - from.x) - FRAME) / cell)));
  const [first = { x: 0, y: 0 }, last = first] = [path[0], path.at(-1)];
  if (path.length > 2) {
    // The way leads from chunk to chunk between two rooms side by side.
    if (lane === undefined) return { ...all, columns: between(first, last) };
    if (isUpright(longestPiece(path))) return { ...all, columns: Math.min(MOST_COLUMNS, across) };
    return { columns: COLUMNS_IN_STREET, rows: Math.min(MOST_ROWS, across) };
  }
  if (isUpright(path)) return { ...all, rows: Math.floor((pathLength(path) - FRAME) / cell) };
  return { rows: Math.min(MOST_ROWS, across), columns: between(first, last) };
}

/** On a lane narrower than a framed cell, both cell and frame are smaller. */
export function packetBox(bytes: number, road: Road, size: PacketSize, compact: boolean): PacketBox {
  const full = compact ? CELL_COMPACT : CELL;
  const { rows, columns } = gridFor(size(bytes), roomOn(road, full));
  const thin = road.lane !== undefined && road.path.length > 2 && road.lane < full + FRAME;
  const frame = thin ? THIN_FRAME : FRAME;
  const cell = thin ? clamp((road.lane ?? 0) - frame, SMALLEST_CELL, full) : full;
  const high = rows === 1 && !thin ? 1.6 * cell : rows * cell;
  // On a short way down, between rooms of a phone, one row of cells is lower rather than over both rooms.
  const most = road.path.length === 2 && isUpright(road.path) ? pathLength(road.path) : Number.POSITIVE_INFINITY;
  const height = Math.max(Math.min(high + frame, most), cell + frame);
  return { rows, columns, frame, width: columns * cell + frame, height };
}

interface Stage extends Size {
  readonly compact: boolean;
}

export function packetScene(
  { packet, progress, values }: Transit,
  road: Road,
  size: PacketSize,
  stage: Stage & { readonly end: number },
): PacketScene {
  const outer = packetBox(packet.bytes, road, size, stage.compact);
  const { rows, columns, frame } = outer;
  const free = around(placeOn(road.path, progress, outer), outer);
  const rect = {
    ...free,
    x: clamp(free.x, 0, Math.max(0, stage.width - free.width)),
    y: clamp(free.y, 0, Math.max(0, stage.height - free.height)),
  };
  const count = values?.length ?? 0;
  const cells: HeatCells | undefined =
    values && count > 0 ? { values, offset: 0, stride: columns, rows, columns, count, end: stage.end } : undefined;
  return { id: `packet ${packet.send}`, rect, from: packet.from, cells, cellsAt: grow(rect, -frame / 2) };
}
