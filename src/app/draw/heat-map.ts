/**
 * Paints a matrix of values as cells. Values that stay for some frames become a bitmap of one pixel per cell, kept as
 * long as their array lives and drawn enlarged, with the gaps drawn over it; values that change in every frame are
 * drawn cell by cell. Matrices that appear together get their bitmaps in different frames, so that no single frame
 * makes all of them. Called by the stage for weights, gradients, activations, tiles and packets.
 */
import type { Rect } from './geometry';
import { hexRgb } from './scales';
import { scaleValue } from './value-scale';

export interface HeatColours {
  readonly diverging: (value: number) => string;
  readonly divergingRgba: Uint8ClampedArray;
  readonly bad: string;
}

/** A window of `rows` x `columns` cells into an array whose rows are `stride` apart. */
export interface HeatCells {
  readonly values: Float32Array;
  readonly offset: number;
  readonly stride: number;
  readonly rows: number;
  readonly columns: number;
  /** Number of cells in use, in reading order, if the last row is not full. */
  readonly count?: number;
  /** Distance between the columns in the array, if not 1: for a transposed matrix. */
  readonly step?: number;
  /** The value at the end of the scale. */
  readonly end: number;
  /** Size of a tile in cells, for a grid of small matrices: the gaps are between tiles. */
  readonly tile?: { readonly rows: number; readonly columns: number };
}

/** undefined if the cell does not exist or was not captured. */
export function cellValue(cells: HeatCells, row: number, column: number): number | undefined {
  if (cells.count !== undefined && row * cells.columns + column >= cells.count) return undefined;
  return cells.values[cells.offset + row * cells.stride + column * (cells.step ?? 1)];
}

export type Heat = (context: CanvasRenderingContext2D, cells: HeatCells, rect: Rect, gap: string | undefined) => void;

const ENTRIES = 256;

/** Cells smaller than this have no gaps between them. */
const SMALLEST_WITH_GAP = 3.5;
const DRAWS_BEFORE_BITMAP = 3;
/** Number of frames over which matrices that appear together become bitmaps. */
const FRAMES_OF_BITMAPS = 10;

/** A tile is large enough for a gap around it even if its cells are not. */
const gapped = ({ rows, columns, tile }: HeatCells, rect: Rect): boolean =>
  Math.min((rect.width * (tile?.columns ?? 1)) / columns, (rect.height * (tile?.rows ?? 1)) / rows) >=
  SMALLEST_WITH_GAP;

function rule(context: CanvasRenderingContext2D, cells: HeatCells, rect: Rect, colour: string): void {
  if (!gapped(cells, rect)) return;
  const { rows, columns, tile = { rows: 1, columns: 1 } } = cells;
  const cw = rect.width / columns;
  const ch = rect.height / rows;
  context.fillStyle = colour;
  for (let c = tile.columns; c < columns; c += tile.columns)
    context.fillRect(rect.x + c * cw - 1, rect.y, 1, rect.height);
  for (let r = tile.rows; r < rows; r += tile.rows) context.fillRect(rect.x, rect.y + r * ch - 1, rect.width, 1);
}

function toBitmap(cells: HeatCells, colours: HeatColours, bad: readonly number[]): OffscreenCanvas | undefined {
  const { rows, columns } = cells;
  const bitmap = new OffscreenCanvas(columns, rows);
  const pen = bitmap.getContext('2d');
  if (!pen) return undefined;
  const image = pen.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    const value = cellValue(cells, Math.floor(i / columns), i % columns);
    if (value === undefined) continue;
    const scaled = scaleValue(value, cells.end);
    if (Number.isNaN(scaled)) image.data.set(bad, 4 * i);
    else {
      const entry = Math.round(((scaled + 1) / 2) * (ENTRIES - 1)) * 4;
      image.data.set(colours.divergingRgba.subarray(entry, entry + 4), 4 * i);
    }
  }
  pen.putImageData(image, 0, 0);
  return bitmap;
}

/** Draws cell by cell: slower than drawing a finished bitmap, faster than making one. */
function drawCells(
  context: CanvasRenderingContext2D,
  cells: HeatCells,
  rect: Rect,
  gap: number,
  colours: HeatColours,
): void {
  const width = rect.width / cells.columns;
  const height = rect.height / cells.rows;
  const { rows: down, columns: across } = cells.tile ?? { rows: 1, columns: 1 };
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const value = cellValue(cells, row, column);
      if (value === undefined) continue;
      const right = column + 1 < cells.columns && (column + 1) % across === 0 ? gap : 0;
      const below = row + 1 < cells.rows && (row + 1) % down === 0 ? gap : 0;
      context.fillStyle = Number.isNaN(value) ? colours.bad : colours.diverging(scaleValue(value, cells.end));
      context.fillRect(rect.x + column * width, rect.y + row * height, width - right, height - below);
    }
  }
}

interface Kept {
  /** Number of draws left before the matrix gets a bitmap. */
  left: number;
  bitmap: OffscreenCanvas | undefined;
}

export function createHeat(colours: HeatColours): Heat {
  const kept = new WeakMap<Float32Array, Map<string, Kept>>();
  const bad = [...hexRgb(colours.bad), 255];
  let met = 0;
  const keptFor = (cells: HeatCells): Kept => {
    const windows = kept.get(cells.values) ?? new Map<string, Kept>();
    kept.set(cells.values, windows);
    const key = `${cells.offset}/${cells.stride}/${cells.rows}x${cells.columns}/${cells.count ?? ''}/${cells.step ?? 1}/${cells.end}`;
    const known = windows.get(key);
    if (known) return known;
    met = (met + 1) % FRAMES_OF_BITMAPS;
    const found = { left: DRAWS_BEFORE_BITMAP + met, bitmap: undefined };
    windows.set(key, found);
    return found;
  };
  return (context, cells, rect, gap) => {
    if (cells.rows < 1 || cells.columns < 1 || rect.width <= 0 || rect.height <= 0) return;
    const known = keptFor(cells);
    if (known.left > 0) {
      known.left--;
      const apart = gap && gapped(cells, rect);
      drawCells(context, cells, rect, apart ? 1 : 0, colours);
      return;
    }
    known.bitmap ??= toBitmap(cells, colours, bad);
    if (!known.bitmap) return;
    context.imageSmoothingEnabled = false;
    context.drawImage(known.bitmap, rect.x, rect.y, rect.width, rect.height);
    if (gap) rule(context, cells, rect, gap);
  };
}
