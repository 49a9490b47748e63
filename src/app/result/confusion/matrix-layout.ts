/**
 * The layout of a confusion matrix (cells, names, and the share of right predictions) for a width and a number of
 * classes. Pure, in CSS pixels.
 */
import type { Point, Rect, Size } from '../../draw/geometry';
import type { CanvasCell } from '../cells/cell-canvas';

export interface MatrixLayout extends Size {
  readonly cell: number;
  /** The position of the first cell. */
  readonly left: number;
  readonly top: number;
  /** Every n-th row, and every n-th column, has its name beside it. */
  readonly rowNamedEvery: number;
  readonly columnNamedEvery: number;
  /** Whether the columns' names are too long for their columns, so that they are drawn upright. */
  readonly upright: boolean;
  /** Whether numbers fit into the cells. */
  readonly numbers: boolean;
  /** The x position of the share of right predictions, right of each row; 0 if rows are too low for it. */
  readonly shareLeft: number;
  readonly gap: number;
}

const NAME_PIXELS = 6.4;
const SHARE_WIDTH = 40;
const HEAD = 34;
/** Names up to this many characters stay level; if they do not fit, fewer columns have names. */
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
