/** The layout of queries, keys and their names in the picture of one attention head. Pure, in CSS pixels. */
import type { Point, Size } from '../../draw/geometry';
import type { CanvasCell } from '../cells/cell-canvas';

export interface AttentionLayout extends Size {
  readonly cell: number;
  readonly left: number;
  readonly top: number;
  /** Every n-th position has its token beside it. */
  readonly namedEvery: number;
}

const LARGEST_CELL = 34;
const LOWEST_TEXT = 8;
const PIXELS_A_CHARACTER = 7;

export function attentionLayout(width: number, queries: number, keys: number, longestToken: number): AttentionLayout {
  const left = Math.min(60, longestToken * PIXELS_A_CHARACTER + 24);
  const top = 32;
  const cell = Math.max(1, Math.min(LARGEST_CELL, (width - left) / keys));
  return { width, height: top + cell * queries, cell, left, top, namedEvery: Math.ceil(LOWEST_TEXT / cell) };
}

export function attentionCellAt(
  { left, top, cell }: AttentionLayout,
  queries: number,
  keys: number,
  { x, y }: Point,
): CanvasCell | undefined {
  const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
  return row >= 0 && row < queries && column >= 0 && column < keys ? { row, column } : undefined;
}
