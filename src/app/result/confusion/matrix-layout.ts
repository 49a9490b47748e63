/**
 * Where the cells, the names and the share of right ones of a confusion matrix lie, for a width and a number of
 * classes. Pure, in CSS pixels.
 */
import type { Point, Rect, Size } from '../../draw/geometry';
import type { CanvasCell } from '../cells/cell-canvas';

export interface MatrixLayout extends Size {
  readonly cell: number;
  /** Of the first cell. */
  readonly left: number;
  readonly top: number;
  /** Every so many rows, and every so many columns, have their name beside them. */
  readonly rowNamedEvery: number;
  readonly columnNamedEvery: number;
  /** The names of the columns are longer than the columns are wide and are upright. */
  readonly upright: boolean;
  /** Numbers fit into the cells. */
  readonly numbers: boolean;
  /** Where the share of right ones begins, at the right of each row; 0 where rows are too low for it. */
  readonly shareLeft: number;
  readonly gap: number;
}

const NAME_PIXELS = 6.4;
const SHARE_WIDTH = 40;
const HEAD = 34;
/** Names up to that many characters stay level, with more room between them instead. */
const SHORT_NAME = 3;
const LARGEST_CELL = 34;
const LOWEST_TEXT = 12;
const LEAST_FOR_NUMBERS = 20;

export function matrixLayout(width: number, classes: number, longestName: number): MatrixLayout {
  const left = 14 + Math.min(78, Math.ceil(longestName * NAME_PIXELS) + 6);
  const withShare = Math.min(LARGEST_CELL, (width - left - SHARE_WIDTH) / classes);
  const shares = withShare >= LOWEST_TEXT;
  const fit = shares ? withShare : Math.min(LARGEST_CELL, (width - left) / classes);
  const cell = fit >= 6 ? Math.floor(fit) : fit;
  const rowNamedEvery = Math.ceil(LOWEST_TEXT / cell);
  const nameWidth = longestName * NAME_PIXELS;
  const upright = longestName > SHORT_NAME && nameWidth > rowNamedEvery * cell;
  const top = upright ? HEAD + left - 24 : HEAD;
  const end = left + cell * classes;
  return {
    width: shares ? end + SHARE_WIDTH : end,
    height: top + cell * classes + 2,
    cell,
    left,
    top,
    rowNamedEvery,
    columnNamedEvery: upright ? rowNamedEvery : Math.ceil((nameWidth + 2) / cell),
    upright,
    numbers: cell >= LEAST_FOR_NUMBERS,
    shareLeft: shares ? end + 6 : 0,
    gap: cell >= 6 ? 1 : 0,
  };
}

export const cellRect = ({ left, top, cell, gap }: MatrixLayout, row: number, column: number): Rect => ({
  x: left + column * cell,
  y: top + row * cell,
  width: cell - gap,
  height: cell - gap,
});

export function matrixCellAt(
  { left, top, cell }: MatrixLayout,
  classes: number,
  { x, y }: Point,
): CanvasCell | undefined {
  const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
  return row >= 0 && row < classes && column >= 0 && column < classes ? { row, column } : undefined;
}
