/**
 * The layout of the lab's figure: one row per rank, one column per chunk of each buffer, and the way of every message
 * of a round from tile to tile. The gaps between columns fit the round with the most messages, so nothing moves from
 * round to round. Pure; figure.tsx draws it.
 */
import { at } from '../../base/invariant';
import type { LabBuffer, LabResult, LabTransfer } from '../../protocol/lab';

export interface Column {
  readonly buffer: number;
  readonly chunk: number;
  readonly x: number;
  readonly width: number;
}

export interface BufferGroup {
  readonly buffer: LabBuffer;
  readonly x: number;
  readonly width: number;
}

export interface TransferWay {
  readonly transfer: LabTransfer;
  /** SVG path from the sender's tile to the receiver's. */
  readonly path: string;
  /** The place for the message's size; undefined if there is no room. */
  readonly label: { readonly x: number; readonly y: number; readonly turned: boolean } | undefined;
}

export interface FigureLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly tileHeight: number;
  /** The upper edge of each rank's tiles. */
  readonly rows: readonly number[];
  readonly groups: readonly BufferGroup[];
  readonly columns: readonly Column[];
  /** Whether the count and other words fit below the values. */
  readonly worded: boolean;
  /** The distance between two messages that pass beside the same column. */
  readonly lane: number;
  /** The gap between columns. */
  readonly gap: number;
}

const HEAD = 22;
const LEAST_TILE = 24;
const MOST_TILE = 420;
const LANE = 5;
const WIDEST_GAP = 26;
/** The gap that fits a message's size beside its way. */
const TURNED_GAP = 21;
const GROUP_GAP = 34;
const EDGE = 3;

export const columnOf = ({ columns }: FigureLayout, result: LabResult, buffer: string, offset: number) =>
  columns.find((column) => {
    const own = at(result.buffers, column.buffer);
    return own.name === buffer && own.chunks[column.chunk]?.offset === offset;
  });

export function figureLayout(result: LabResult, width: number): FigureLayout {
  const n = result.request.worldSize;
  const worded = n <= 8;
  const tileHeight = worded ? 42 : 25;
  const rowGap = worded ? 22 : 13;
  const left = width < 520 ? 30 : 64;
  const lanes = Math.max(0, ...result.rounds.map(({ transfers }) => mostLanes(transfers)));
  const gap = Math.min(WIDEST_GAP, Math.max(lanes > 0 && worded && width >= 520 ? TURNED_GAP : 8, 6 + LANE * lanes));
  const lane = Math.min(LANE, (gap - 6) / Math.max(1, lanes));
  const chunks = result.buffers.reduce((sum, { chunks: own }) => sum + Math.max(1, own.length), 0);
  const groupGaps = GROUP_GAP * (result.buffers.length - 1);
  const free = width - left - EDGE - groupGaps - gap * chunks;
  const tile = Math.min(MOST_TILE, Math.max(LEAST_TILE, Math.floor(free / Math.max(1, chunks))));
  const columns: Column[] = [];
  const groups: BufferGroup[] = [];
  let x = left;
  result.buffers.forEach((buffer, b) => {
    const start = x;
    buffer.chunks.forEach((_, chunk) => {
      columns.push({ buffer: b, chunk, x, width: tile });
      x += tile + gap;
    });
    if (buffer.chunks.length === 0) x += tile + gap;
    groups.push({ buffer, x: start, width: x - gap - start });
    x += GROUP_GAP;
  });
  const rows = Array.from({ length: n }, (_, rank) => HEAD + rank * (tileHeight + rowGap));
  return {
    width: x - GROUP_GAP + EDGE,
    height: HEAD + n * (tileHeight + rowGap) - rowGap + 6,
    left,
    tileHeight,
    rows,
    groups,
    columns,
    worded,
    lane,
    gap,
  };
}

/** Whether a message passes beside tiles, because its rows are not adjacent. */
const passes = (t: LabTransfer): boolean => Math.abs(t.from - t.to) > 1;
const keyOf = (t: LabTransfer): string => `${t.target.buffer} ${t.target.offset + t.target.length}`;
const overlap = (a: LabTransfer, b: LabTransfer): boolean =>
  Math.min(a.from, a.to) < Math.max(b.from, b.to) && Math.min(b.from, b.to) < Math.max(a.from, a.to);

/** The lanes of the messages that pass beside one column; overlapping messages get different lanes. */
function lanesOf(transfers: readonly LabTransfer[]): ReadonlyMap<LabTransfer, number> {
  const lanes = new Map<LabTransfer, number>();
  const length = (t: LabTransfer) => Math.abs(t.from - t.to);
  for (const t of transfers.filter(passes).sort((a, b) => length(a) - length(b))) {
    const taken = [...lanes].filter(([o]) => keyOf(o) === keyOf(t) && overlap(o, t)).map(([, lane]) => lane);
    let lane = 0;
    while (taken.includes(lane)) lane++;
    lanes.set(t, lane);
  }
  return lanes;
}

const mostLanes = (transfers: readonly LabTransfer[]): number => 1 + Math.max(-1, ...lanesOf(transfers).values());

/** The ways of a round's messages. */
export function waysOf(
  layout: FigureLayout,
  result: LabResult,
  transfers: readonly LabTransfer[],
): readonly TransferWay[] {
  const lanes = lanesOf(transfers);
  const endOf = (buffer: string, offset: number, length: number) =>
    layout.columns.findLast((column) => {
      const own = at(result.buffers, column.buffer);
      const chunk = own.chunks[column.chunk];
      return own.name === buffer && chunk && chunk.offset >= offset && chunk.offset < offset + length;
    });
  return transfers.flatMap((transfer): TransferWay[] => {
    const { from, to, source, target } = transfer;
    const sourceColumn = columnOf(layout, result, source.buffer, source.offset);
    const first = columnOf(layout, result, target.buffer, target.offset);
    const last = endOf(target.buffer, target.offset, target.length);
    const sourceLast = endOf(source.buffer, source.offset, source.length);
    if (!sourceColumn || !first || !last || !sourceLast) return [];
    const { tileHeight } = layout;
    const [y0, y1] = [at(layout.rows, from), at(layout.rows, to)];
    const down = y1 > y0;
    const middle = (y: number) => y + tileHeight / 2;
    if (sourceColumn !== first) {
      // A message from one buffer to another leads from side to side.
      const right = first.x > sourceColumn.x;
      const x0 = right ? sourceLast.x + sourceLast.width : sourceColumn.x;
      const x1 = right ? first.x : last.x + last.width;
      const bend = (x1 - x0) / 2;
      const path = `M${x0} ${middle(y0)} C${x0 + bend} ${middle(y0)} ${x1 - bend} ${middle(y1)} ${x1} ${middle(y1)}`;
      return [{ transfer, path, label: undefined }];
    }
    if (passes(transfer)) {
      const x = last.x + last.width;
      const lane = x + 5 + layout.lane * (lanes.get(transfer) ?? 0);
      const r = 4;
      const s = down ? r : -r;
      const path =
        `M${x} ${middle(y0)} H${lane - r} Q${lane} ${middle(y0)} ${lane} ${middle(y0) + s}` +
        ` V${middle(y1) - s} Q${lane} ${middle(y1)} ${lane - r} ${middle(y1)} H${x}`;
      const alone = ![...lanes].some(([other]) => other !== transfer && keyOf(other) === keyOf(transfer));
      const label =
        alone && layout.gap >= TURNED_GAP
          ? { x: lane + 11, y: (middle(y0) + middle(y1)) / 2, turned: true }
          : undefined;
      return [{ transfer, path, label }];
    }
    const [start, end] = down ? [y0 + tileHeight, y1] : [y0, y1 + tileHeight];
    // Two messages that exchange the same chunk are drawn apart.
    const both = transfers.some((o) => o.from === to && o.to === from && o.target.offset === target.offset);
    const x = (first.x + last.x + last.width) / 2 + (both ? (down ? -7 : 7) : 0);
    const label = layout.worded ? { x: x + 5, y: (start + end) / 2 + 3.5, turned: false } : undefined;
    return [{ transfer, path: `M${x} ${start} V${end}`, label }];
  });
}
