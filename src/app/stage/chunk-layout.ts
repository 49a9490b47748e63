/**
 * Lays out the chunks of an exchange in a room: as rows, so that a chunk is at the same height in every room and its
 * arrow is level, or as tiles side by side if the room is low and wide. A high row has its words and the arriving
 * values above it; a low row has its number and its ranks beside it. Values are printed if a cell is at least 25 px
 * wide, else drawn as cells; a long chunk shows only its first values. Pure.
 */
import type { Rect } from '../draw/geometry';
import type { ChunkLayout, ChunkSpec, ChunksLayout } from './chunk-places';
import { crowdedChunks, LOWEST_ROW } from './crowded-chunks';

export const PRINTED = 25;
const PRINTED_HEIGHT = 15;
const LARGEST_HEIGHT = 26;
/** One or two short chunks have higher cells, because they would leave most of the room empty. */
const LARGEST_OF_FEW = 64;
/** If cells would be smaller than this, only the first cells of the chunk are shown. */
const SMALLEST = 4;
const FULL_ROW = 54;
const TALLEST_ROW = 110;
const TALLEST = 420;
const MOST_LINES = 24;
const ARRIVAL = 13;
const CAPTION = 15;
const BAR = 5;
const LETTERED_ROW = 12;
const LABELLED_TILE = 44;
const LOW = 3.4;

interface Cells {
  readonly columns: number;
  readonly rows: number;
  readonly count: number;
  readonly width: number;
  readonly height: number;
  readonly prints: boolean;
}

/** Divides a chunk into the lines that make its cells largest; printed values have priority. */
function cellsIn(length: number, width: number, height: number, largest = LARGEST_HEIGHT): Cells {
  const printable = Math.floor(width / PRINTED);
  if (printable > 0) {
    const rows = Math.ceil(length / printable);
    if (rows * PRINTED_HEIGHT <= height) {
      const columns = Math.ceil(length / rows);
      const high = Math.min(largest, height / rows);
      return { columns, rows, count: length, width: width / columns, height: high, prints: true };
    }
  }
  let best: Cells | undefined;
  for (let rows = 1; rows <= MOST_LINES; rows++) {
    const columns = Math.ceil(length / rows);
    const cell = { width: width / columns, height: Math.min(LARGEST_HEIGHT, height / rows) };
    const small = Math.min(cell.width, cell.height);
    if (best && small <= Math.min(best.width, best.height)) continue;
    if (small >= SMALLEST || rows === 1) best = { columns, rows, count: length, ...cell, prints: false };
  }
  if (best && Math.min(best.width, best.height) >= Math.min(SMALLEST, height)) return best;
  const side = Math.min(height, 5);
  const columns = Math.max(1, Math.floor(width / side));
  const rows = Math.max(1, Math.floor(height / side));
  const count = Math.min(length, columns * rows);
  return { columns, rows, count, width: width / columns, height: height / rows, prints: false };
}

/** The length of the longest chunk, by which all chunks are divided into columns. */
const longest = (lengths: readonly number[]): number => Math.max(1, ...lengths);

function countOf(cells: Cells, length: number): number {
  return Math.min(length, cells.columns * cells.rows);
}

function fullRows({ lengths }: ChunkSpec, area: Rect): ChunksLayout {
  const height = Math.min(Math.max(TALLEST_ROW, TALLEST / lengths.length), area.height / lengths.length);
  const free = height - ARRIVAL - BAR - 2 - CAPTION - 4;
  const cells = cellsIn(longest(lengths), area.width, free, lengths.length > 2 ? LARGEST_HEIGHT : LARGEST_OF_FEW);
  const used = cells.rows * cells.height;
  // The rows stay together, centred in the free height.
  const row = Math.min(height, used + height - free);
  const gap = Math.min(10, (area.height - row * lengths.length) / Math.max(1, lengths.length));
  const chunks = lengths.map((length, i): ChunkLayout => {
    const top = area.y + i * (row + gap);
    const y = top + ARRIVAL + 1;
    const box = { x: area.x, y, width: cells.columns * cells.width, height: used };
    return {
      frame: { x: area.x - 3, y: y - 2.5, width: area.width + 6, height: used + BAR + 6 },
      cells: box,
      columns: cells.columns,
      rows: cells.rows,
      count: countOf(cells, length),
      prints: cells.prints,
      bars: { x: area.x, y: y + used + 1, width: area.width, height: BAR },
      arrival: { x: area.x, y: top, width: box.width, height: ARRIVAL },
      caption: { x: area.x, y: y + used + BAR + 4, width: area.width, height: CAPTION },
      worded: true,
    };
  });
  return { kind: 'rows', chunks };
}

function compactRows({ lengths, ranks }: ChunkSpec, area: Rect): ChunksLayout {
  const row = Math.min(30, area.height / lengths.length);
  const lettered = row >= LETTERED_ROW;
  const number = lettered ? (lengths.length > 10 ? 18 : 12) : 0;
  const bars = row >= 5 && area.width >= 64 ? Math.min(0.3 * area.width, Math.max(24, ranks * 5)) : 0;
  const inset = row >= 8 ? 2.5 : row >= 4 ? 1 : 0.25;
  const width = area.width - number - (bars > 0 ? bars + 6 : 0) - 2;
  const cells = cellsIn(longest(lengths), width, row - 2 * inset);
  const used = cells.rows * cells.height;
  const chunks = lengths.map((length, i): ChunkLayout => {
    const top = area.y + i * row;
    const y = top + (row - used) / 2;
    return {
      frame: { x: area.x - 3, y: top + 0.5, width: area.width + 6, height: row - 1 },
      cells: { x: area.x + number, y, width: cells.columns * cells.width, height: used },
      columns: cells.columns,
      rows: cells.rows,
      count: countOf(cells, length),
      prints: cells.prints,
      bars:
        bars === 0
          ? undefined
          : { x: area.x + area.width - bars, y: top + inset, width: bars, height: row - 2 * inset },
      arrival: undefined,
      caption: lettered ? { x: area.x, y: top + row / 2 - 6, width: number, height: 12 } : undefined,
      worded: false,
    };
  });
  return { kind: 'rows', chunks };
}

function tiles({ lengths }: ChunkSpec, area: Rect): ChunksLayout {
  const n = lengths.length;
  const gap = area.width / n > 40 ? 8 : 4;
  const width = (area.width - gap * (n - 1)) / n;
  const captioned = width >= LABELLED_TILE && area.height >= 48;
  const bar = area.height >= 20 ? BAR + 2 : 0;
  const free = area.height - bar - (captioned ? CAPTION : 0) - 4;
  const cells = cellsIn(longest(lengths), width, Math.max(1, free));
  const used = cells.rows * cells.height;
  const chunks = lengths.map((length, i): ChunkLayout => {
    const x = area.x + i * (width + gap);
    const y = area.y + 2;
    return {
      frame: { x: x - 2.5, y: y - 2, width: width + 5, height: used + bar + 4 },
      cells: { x, y, width: cells.columns * cells.width, height: used },
      columns: cells.columns,
      rows: cells.rows,
      count: countOf(cells, length),
      prints: cells.prints,
      bars: bar > 0 ? { x, y: y + used + 2, width, height: BAR } : undefined,
      arrival: undefined,
      caption: captioned ? { x, y: y + used + bar + 2, width, height: CAPTION } : undefined,
      worded: captioned,
    };
  });
  return { kind: 'tiles', chunks };
}

/** A cell that is large enough gains nothing from more size. */
const worth = ({ chunks }: ChunksLayout): number => {
  const first = chunks[0];
  if (!first) return 0;
  const side = Math.min(first.cells.width / first.columns, first.cells.height / first.rows);
  return Math.min(side, 14) * (first.count / Math.max(1, first.columns * first.rows)) + (first.prints ? 20 : 0);
};

export function layoutChunks(spec: ChunkSpec, area: Rect): ChunksLayout | undefined {
  if (spec.lengths.length === 0 || area.width < 12) return undefined;
  if (area.height < LOWEST_ROW * spec.lengths.length) return crowdedChunks(spec, area);
  const full = area.height / spec.lengths.length >= FULL_ROW && area.width >= 120 ? fullRows(spec, area) : undefined;
  if (full?.chunks[0]?.prints) return full;
  const rows = full ?? compactRows(spec, area);
  if (area.width / spec.lengths.length < 24) return rows;
  const beside = tiles(spec, area);
  // Rooms this low are one below the other, so arrows go down from tile to tile.
  if (area.width > LOW * area.height && beside.chunks[0]?.prints) return beside;
  // Tiles only if they show clearly more, because rows have level arrows.
  return worth(beside) > 1.4 * worth(rows) ? beside : rows;
}

/** One line of small tiles, for the bucket that is being exchanged while layers compute. */
export const layoutWire = (spec: ChunkSpec, area: Rect): ChunksLayout => tiles(spec, area);
