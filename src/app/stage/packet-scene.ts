/**
 * Packets: how large, where on their road, with which values inside. The area grows with the square root of the bytes between the smallest
 * and the largest transfer of the trace, so that a kibibyte is larger than a byte and a mebibyte still fits. Pure.
 */
import { scaleSqrt } from 'd3-scale';
import type { TraceEvent } from '../../protocol/trace';
import { around, grow, pointAlong, type Rect, type Size } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import { formatBytes } from '../draw/numbers';
import type { Flight } from './facts';
import type { Route } from './routes';
import type { PacketScene } from './scene-types';

const CELL = 8;
const CELL_COMPACT = 6;
const MOST_COLUMNS = 8;
const MOST_ROWS = 3;

export type PacketSize = (bytes: number) => number;

/** Cells that a packet of so many bytes shows: 2 for the smallest transfer of the trace, 24 for the largest. */
export function packetSizes(events: readonly TraceEvent[]): PacketSize {
  const bytes = events.filter((e) => e.kind === 'send').map((e) => e.bytes);
  const least = Math.min(...bytes, Number.POSITIVE_INFINITY);
  const most = Math.max(...bytes, 0);
  if (bytes.length === 0) return () => MOST_COLUMNS;
  if (least === most) return () => Math.max(2, Math.min(MOST_COLUMNS, most / 4));
  const scale = scaleSqrt()
    .domain([least, most])
    .range([2, MOST_COLUMNS * MOST_ROWS])
    .clamp(true);
  return (b) => Math.max(1, Math.round(Math.min(scale(b), b / 4)));
}

/** Cells in reading order in a box about twice as wide as high. */
function gridFor(cells: number): { readonly rows: number; readonly columns: number } {
  const rows = cells <= 5 ? 1 : cells <= 12 ? 2 : MOST_ROWS;
  return { rows, columns: Math.ceil(cells / rows) };
}

export function packetLabel(flight: Flight): string {
  const what = flight.chunk === undefined ? flight.slice.buffer : `chunk ${flight.chunk}`;
  return `${what} · ${formatBytes(flight.bytes)}`;
}

function labelPlace(rect: Rect, horizontal: boolean, stage: Size): PacketScene['labelAt'] {
  if (horizontal) return { x: rect.x + rect.width / 2, y: rect.y - 7, align: 'center' };
  const y = rect.y + rect.height / 2 + 4;
  return rect.x + rect.width + 110 < stage.width
    ? { x: rect.x + rect.width + 7, y, align: 'left' }
    : { x: rect.x - 7, y, align: 'right' };
}

export function packetScene(
  flight: Flight,
  routes: readonly Route[],
  size: PacketSize,
  stage: Size & { readonly compact: boolean },
): PacketScene | undefined {
  const route = routes.find((r) => r.from === flight.from && r.to === flight.to);
  if (!route || flight.slice.length === 0) return undefined;
  const { rows, columns } = gridFor(size(flight.bytes));
  const cell = stage.compact ? CELL_COMPACT : CELL;
  const at = pointAlong(route.path, flight.progress);
  const inner = { width: columns * cell, height: rows === 1 ? 1.75 * cell : rows * cell };
  const rect = around(at, { width: inner.width + 10, height: inner.height + 10 });
  const cells: HeatCells | undefined = flight.values && {
    values: flight.values,
    offset: flight.offset,
    stride: columns,
    rows,
    columns,
    count: Math.min(flight.slice.length, flight.values.length - flight.offset),
  };
  return {
    id: `packet ${flight.send}`,
    rect,
    route: route.path,
    progress: flight.progress,
    from: flight.from,
    payload: flight.payload,
    cells,
    cellsAt: grow(rect, -5),
    label: packetLabel(flight),
    labelAt: stage.compact ? undefined : labelPlace(rect, Math.abs(at.dx) > Math.abs(at.dy), stage),
  };
}
