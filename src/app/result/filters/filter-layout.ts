/**
 * The layout of a convolution's weight [out, in, height, width]: one tile per output channel. With few input channels a
 * tile holds their kernels side by side, and tiles flow like words; with many, a tile is a row of kernels, so that the
 * picture is a matrix, output channels down, input channels across. Pure.
 */
import type { Point, Rect, Size } from '../../draw/geometry';
import type { CanvasCell } from '../cells/cell-canvas';

export interface FilterLayout extends Size {
  /** Kernels in rows and columns: row = line of tiles, column = kernel in the line. */
  readonly rows: number;
  readonly columns: number;
  /** The number of output channels shown. */
  readonly outs: number;
  readonly ins: number;
  readonly tilesPerLine: number;
  readonly kernel: Size;
  /** The gap between lines. */
  readonly lineGap: number;
}

const SMALL_PIXEL = 8;
const LEAST_PIXEL = 3;
const LARGEST_TILE = 64;
const LEAST_LARGE_TILE = 42;
const TILE_GAP = 8;
const KERNEL_GAP = 2;
const MOST_OUTS = 48;
const FEW_INS = 3;

export function filterLayout(width: number, shape: readonly number[], first: boolean): FilterLayout {
  const [allOuts = 1, allIns = 1, kernelHeight = 1, kernelWidth = 1] = shape;
  const outs = Math.min(MOST_OUTS, allOuts);
  const flows = allIns <= FEW_INS;
  const side = Math.max(kernelHeight, kernelWidth);
  // A matrix of kernels is as large as the width allows, down to 3 pixels per weight.
  const fits = Math.floor(((width + KERNEL_GAP) / allIns - KERNEL_GAP) / kernelWidth);
  const wanted = flows ? SMALL_PIXEL : Math.min(SMALL_PIXEL, Math.max(LEAST_PIXEL, fits));
  const pixel = first && flows ? largePixel(width, outs, allIns, side) : Math.min(wanted, LARGEST_TILE / side);
  const kernel = { width: Math.max(1, pixel * kernelWidth), height: Math.max(1, pixel * kernelHeight) };
  const ins = flows
    ? allIns
    : Math.max(1, Math.min(allIns, Math.floor((width + KERNEL_GAP) / (kernel.width + KERNEL_GAP))));
  const tile = ins * (kernel.width + KERNEL_GAP) - KERNEL_GAP;
  const tilesPerLine = flows ? Math.max(1, Math.min(outs, Math.floor((width + TILE_GAP) / (tile + TILE_GAP)))) : 1;
  const rows = Math.ceil(outs / tilesPerLine);
  const lineGap = flows ? TILE_GAP : KERNEL_GAP;
  return {
    width,
    height: rows * (kernel.height + lineGap) - lineGap,
    rows,
    columns: tilesPerLine * ins,
    outs,
    ins,
    tilesPerLine,
    kernel,
    lineGap,
  };
}

/** The size of tiles if they are spread evenly over the lines: eight as four and four rather than six and two. */
function largePixel(width: number, outs: number, ins: number, side: number): number {
  const most = Math.max(1, Math.floor((width + TILE_GAP) / (ins * LEAST_LARGE_TILE + TILE_GAP)));
  const perLine = Math.ceil(outs / Math.ceil(outs / most));
  const room = ((width + TILE_GAP) / perLine - TILE_GAP + KERNEL_GAP) / ins - KERNEL_GAP;
  return Math.max(1, Math.floor(Math.min(LARGEST_TILE, room) / side));
}

/** The channels of a cell; undefined if the last line has no such tile. */
export function channelsOf(layout: FilterLayout, { row, column }: CanvasCell): { out: number; in: number } | undefined {
  const out = row * layout.tilesPerLine + Math.floor(column / layout.ins);
  return out < layout.outs ? { out, in: column % layout.ins } : undefined;
}

export function kernelRect({ ins, kernel, lineGap }: FilterLayout, { row, column }: CanvasCell): Rect {
  const tile = Math.floor(column / ins);
  const tileWidth = ins * (kernel.width + KERNEL_GAP) - KERNEL_GAP;
  return {
    x: tile * (tileWidth + TILE_GAP) + (column % ins) * (kernel.width + KERNEL_GAP),
    y: row * (kernel.height + lineGap),
    ...kernel,
  };
}

export function kernelAt(layout: FilterLayout, { x, y }: Point): CanvasCell | undefined {
  for (let row = 0; row < layout.rows; row++) {
    for (let column = 0; column < layout.columns; column++) {
      const rect = kernelRect(layout, { row, column });
      const inside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
      if (inside && channelsOf(layout, { row, column })) return { row, column };
    }
  }
  return undefined;
}
