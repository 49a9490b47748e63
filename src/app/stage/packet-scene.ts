/**
 * What moves in the moment at the cursor: an arrow for each of its transfers, in the sender's hue and with its bytes,
 * and on it the packet with the values inside. A packet's area grows with the square root of its bytes, up to the
 * largest transfer of the trace, so that a kibibyte is larger than a byte and a mebibyte still fits. Pure.
 */
import { bufferWords } from '../../trace/buffer-words';
import type { Packet } from '../../trace/packets';
import { formatSize } from '../draw/format';
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
import type { ArrowScene, PacketScene } from './scene-types';

const CELL = 9;
const CELL_COMPACT = 7;
const MOST_COLUMNS = 8;
const MOST_ROWS = 3;

/** Cells that a packet of so many bytes shows. */
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

/** Cells in reading order in a box about twice as wide as high, or as wide and high as there is room for. */
function gridFor(cells: number, most: Grid): Grid {
  const wanted = Math.min(cells <= 5 ? 1 : cells <= 12 ? 2 : MOST_ROWS, Math.max(1, most.rows));
  const columns = Math.min(Math.ceil(cells / wanted), most.columns);
  return { rows: Math.min(MOST_ROWS, Math.max(1, most.rows), Math.ceil(cells / columns)), columns };
}

const FRAME = 8;
/** Part of a way between two rooms that a packet may take. */
const SHARE_OF_WAY = 0.6;

/** The packet leaves with its tail on one end and arrives with its head on the other, where the way is long enough. */
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

export function packetLabel({ source, collective, bytes, microBatch }: Packet): string {
  if (microBatch !== undefined && !collective) return `micro-batch ${microBatch} · ${formatSize(bytes)}`;
  const chunk = collective?.chunk;
  const what = chunk === undefined || (collective?.chunks ?? 1) < 2 ? bufferWords(source.buffer) : `chunk ${chunk}`;
  return `${what} · ${formatSize(bytes)}`;
}

const LETTER = 6.6;

interface Box extends Size {
  readonly columns: number;
  readonly rows: number;
}

const upright = ([a, b]: readonly Point[]): boolean =>
  a !== undefined && b !== undefined && Math.abs(b.y - a.y) > Math.abs(b.x - a.x);

/**
 * So many cells do not cover what is in the rooms: on a level way between two of them columns are few, on an upright
 * one rows, and on a phone beside the rooms, between them and the edge, there is one column.
 */
function roomOn(path: Path, cell: number, compact: boolean): Grid {
  const all = { columns: MOST_COLUMNS, rows: MOST_ROWS };
  if (path.length > 2) return compact && upright(path.slice(1)) ? { ...all, columns: 1 } : all;
  if (upright(path)) return { ...all, rows: Math.floor((pathLength(path) - FRAME) / cell) };
  const columns = Math.floor((SHARE_OF_WAY * pathLength(path) - FRAME) / cell);
  return { ...all, columns: Math.max(2, Math.min(columns, MOST_COLUMNS)) };
}

function boxOf(packet: Packet, path: Path, size: PacketSize, compact: boolean): Box {
  const cell = compact ? CELL_COMPACT : CELL;
  const { rows, columns } = gridFor(size(packet.bytes), roomOn(path, cell, compact));
  return { rows, columns, width: columns * cell + FRAME, height: (rows === 1 ? 1.6 * cell : rows * cell) + FRAME };
}

interface Stage extends Size {
  readonly compact: boolean;
}

/**
 * Its label is in the middle of the longest piece: over a straight way from room to room, above where the packet flies;
 * on the line of a longer one. `clear` is the width between the rooms.
 */
export function arrowScene(packet: Packet, path: Path, size: PacketSize, stage: Stage, clear: number): ArrowScene {
  let [at, length]: [number, number] = [0, 0];
  for (let i = 1; i < path.length; i++) {
    const [a, b] = [path[i - 1], path[i]];
    const own = a && b ? pathLength([a, b]) : 0;
    if (own > length) [at, length] = [i, own];
  }
  const [a = { x: 0, y: 0 }, b = a] = [path[at - 1], path[at]];
  const level = Math.abs(b.x - a.x) > Math.abs(b.y - a.y);
  const over = level && path.length === 2;
  const bytes = formatSize(packet.bytes);
  const named = packet.collective === undefined && !stage.compact;
  const { microBatch } = packet;
  // In a pipeline it is the number of the micro-batch that tells packets apart.
  const short = microBatch === undefined ? [bytes] : [`${microBatch} · ${bytes}`, String(microBatch)];
  const text = [packetLabel(packet), ...short].find(
    (t) => (named || short.includes(t)) && (!level || t.length * LETTER <= clear),
  );
  const width = (text?.length ?? 0) * LETTER;
  const x = clamp((a.x + b.x) / 2, width / 2 + 2, stage.width - width / 2 - 2);
  const y = (a.y + b.y) / 2 + (over ? -boxOf(packet, path, size, stage.compact).height / 2 - 4 : 4);
  return { path, from: packet.from, label: text === undefined ? undefined : { text, x, y, width, ground: !over } };
}

export function packetScene(
  { packet, progress, values }: Transit,
  path: Path,
  size: PacketSize,
  stage: Stage & { readonly end: number },
): PacketScene {
  const outer = boxOf(packet, path, size, stage.compact);
  const { rows, columns } = outer;
  const free = around(placeOn(path, progress, outer), outer);
  const rect = {
    ...free,
    x: clamp(free.x, 0, Math.max(0, stage.width - free.width)),
    y: clamp(free.y, 0, Math.max(0, stage.height - free.height)),
  };
  const count = values?.length ?? 0;
  const cells: HeatCells | undefined =
    values && count > 0 ? { values, offset: 0, stride: columns, rows, columns, count, end: stage.end } : undefined;
  return { id: `packet ${packet.send}`, rect, from: packet.from, cells, cellsAt: grow(rect, -FRAME / 2) };
}
