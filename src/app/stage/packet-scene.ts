/**
 * Packets: how large, where on their road, with which values inside. The area grows with the square root of the bytes,
 * up to the largest transfer of the trace, so that a kibibyte is larger than a byte and a mebibyte still fits. Pure.
 */
import type { Packet } from '../../trace/packets';
import { formatSize } from '../draw/format';
import {
  around,
  grow,
  type Path,
  type PathPoint,
  pathLength,
  pointAlong,
  type Rect,
  type Size,
} from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import type { Transit } from './facts';
import type { Route } from './routes';
import type { PacketScene } from './scene-types';

const CELL = 8;
const CELL_COMPACT = 6;
const MOST_COLUMNS = 8;
const MOST_ROWS = 3;

/** Cells that a packet of so many bytes shows. */
export type PacketSize = (bytes: number) => number;

export function packetSizes(packets: readonly Pick<Packet, 'bytes'>[]): PacketSize {
  const most = Math.max(4, ...packets.map((p) => p.bytes));
  const largest = Math.min(most / 4, MOST_COLUMNS * MOST_ROWS);
  return (bytes) => Math.max(1, Math.min(Math.max(2, Math.round(largest * Math.sqrt(bytes / most))), bytes / 4));
}

/** Cells in reading order in a box about twice as wide as high, or as wide as there is room for. */
function gridFor(cells: number, mostColumns: number): { readonly rows: number; readonly columns: number } {
  const wanted = cells <= 5 ? 1 : cells <= 12 ? 2 : MOST_ROWS;
  const columns = Math.min(Math.ceil(cells / wanted), Math.max(2, mostColumns));
  return { rows: Math.min(MOST_ROWS, Math.ceil(cells / columns)), columns };
}

const FRAME = 10;
/** Part of a gap between two rooms that a packet may take. */
const SHARE_OF_GAP = 0.75;

/**
 * The packet leaves with its tail on one room's edge and arrives with its head on the other's, where the road is long
 * enough for that.
 */
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

export function packetLabel({ source, collective, bytes }: Packet): string {
  const chunk = collective?.chunk;
  const what = chunk === undefined || (collective?.chunks ?? 1) < 2 ? source.buffer : `chunk ${chunk}`;
  return `${what} · ${formatSize(bytes)}`;
}

const LETTER = 6.3;

/** Longest first. */
function packetLabels(packet: Packet): readonly string[] {
  const long = packetLabel(packet);
  return [long, long.split(' · ')[0] ?? long];
}

interface LabelInput {
  readonly rect: Rect;
  readonly level: boolean;
  /** Width between the rooms, where the road is a straight one from side to side. */
  readonly gap: number;
  /** Where the opposite direction runs, if it does. */
  readonly other: PathPoint | undefined;
  readonly stage: Size;
}

/** Beside the packet, on the side away from the opposite direction, and not over a room. */
function labelOf(labels: readonly string[], { rect, level, gap, other, stage }: LabelInput): PacketScene['label'] {
  const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  if (level) {
    const text = labels.find((l) => l.length * LETTER <= Math.max(gap, rect.width));
    const below = other !== undefined && other.y < middle.y;
    return text === undefined
      ? undefined
      : { text, x: middle.x, y: below ? rect.y + rect.height + 15 : rect.y - 7, align: 'center' };
  }
  const text = labels[0] ?? '';
  const fits = rect.x + rect.width + 12 + text.length * LETTER < stage.width;
  const toLeft = other === undefined ? !fits : other.x > middle.x;
  const y = middle.y + 4;
  return toLeft ? { text, x: rect.x - 7, y, align: 'right' } : { text, x: rect.x + rect.width + 7, y, align: 'left' };
}

export function packetScene(
  { packet, progress, values }: Transit,
  routes: readonly Route[],
  size: PacketSize,
  stage: Size & { readonly compact: boolean },
): PacketScene | undefined {
  const route = routes.find((r) => r.from === packet.from && r.to === packet.to);
  if (!route) return undefined;
  const back = routes.find((r) => r.from === packet.to && r.to === packet.from);
  const cell = stage.compact ? CELL_COMPACT : CELL;
  const first = pointAlong(route.path, 0);
  const level = route.path.length === 2 && Math.abs(first.dx) > Math.abs(first.dy);
  const most = level ? (SHARE_OF_GAP * pathLength(route.path) - FRAME) / cell : MOST_COLUMNS;
  const { rows, columns } = gridFor(size(packet.bytes), Math.floor(Math.min(most, MOST_COLUMNS)));
  const outer = { width: columns * cell + FRAME, height: (rows === 1 ? 1.75 * cell : rows * cell) + FRAME };
  const at = placeOn(route.path, progress, outer);
  const rect = around(at, outer);
  const count = values?.length ?? 0;
  const cells: HeatCells | undefined =
    values && count > 0 ? { values, offset: 0, stride: columns, rows, columns, count } : undefined;
  return {
    id: `packet ${packet.send}`,
    rect,
    route: route.path,
    progress,
    from: packet.from,
    payload: packet.payload,
    cells,
    cellsAt: grow(rect, -FRAME / 2),
    label: stage.compact
      ? undefined
      : labelOf(packetLabels(packet), {
          rect,
          level: Math.abs(at.dx) > Math.abs(at.dy),
          gap: level ? pathLength(route.path) : stage.width,
          other: back && pointAlong(back.path, 1 - progress),
          stage,
        }),
  };
}
