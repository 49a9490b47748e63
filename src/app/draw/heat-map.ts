/**
 * Paints a matrix of values as cells. The colours of a matrix are put once into a bitmap of one pixel a cell, which is kept for as long as
 * its array lives and drawn enlarged; the gaps between cells are ruled over it. Called by the stage for weights, gradients, tiles and packets.
 */
import type { Rect } from './geometry';
import { scaleValue } from './value-scale';

export interface HeatColours {
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
  /** Cells in reading order that hold something, where the last row is not full. */
  readonly count?: number;
}

/** undefined: no such cell, or it was not captured. */
export function cellValue(cells: HeatCells, row: number, column: number): number | undefined {
  if (cells.count !== undefined && row * cells.columns + column >= cells.count) return undefined;
  return cells.values[cells.offset + row * cells.stride + column];
}

export type Heat = (context: CanvasRenderingContext2D, cells: HeatCells, rect: Rect, gap: string | undefined) => void;

const ENTRIES = 256;

/** Cells smaller than this stand without gaps. */
const SMALLEST_WITH_GAP = 3.5;

function rule(context: CanvasRenderingContext2D, { rows, columns }: HeatCells, rect: Rect, colour: string): void {
  const cw = rect.width / columns;
  const ch = rect.height / rows;
  if (Math.min(cw, ch) < SMALLEST_WITH_GAP) return;
  context.fillStyle = colour;
  for (let c = 1; c < columns; c++) context.fillRect(rect.x + c * cw - 1, rect.y, 1, rect.height);
  for (let r = 1; r < rows; r++) context.fillRect(rect.x, rect.y + r * ch - 1, rect.width, 1);
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
    const scaled = scaleValue(value);
    if (Number.isNaN(scaled)) image.data.set(bad, 4 * i);
    else {
      const entry = Math.round(((scaled + 1) / 2) * (ENTRIES - 1)) * 4;
      image.data.set(colours.divergingRgba.subarray(entry, entry + 4), 4 * i);
    }
  }
  pen.putImageData(image, 0, 0);
  return bitmap;
}

export function createHeat(colours: HeatColours): Heat {
  const bitmaps = new WeakMap<Float32Array, Map<string, OffscreenCanvas>>();
  const bad = [1, 3, 5].map((i) => Number.parseInt(colours.bad.slice(i, i + 2), 16) || 0).concat(255);
  return (context, cells, rect, gap) => {
    if (cells.rows < 1 || cells.columns < 1 || rect.width <= 0 || rect.height <= 0) return;
    let ofArray = bitmaps.get(cells.values);
    if (!ofArray) {
      ofArray = new Map();
      bitmaps.set(cells.values, ofArray);
    }
    const key = `${cells.offset}/${cells.stride}/${cells.rows}x${cells.columns}/${cells.count ?? ''}`;
    let bitmap = ofArray.get(key);
    if (!bitmap) {
      bitmap = toBitmap(cells, colours, bad);
      if (!bitmap) return;
      ofArray.set(key, bitmap);
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(bitmap, rect.x, rect.y, rect.width, rect.height);
    if (gap) rule(context, cells, rect, gap);
  };
}
