/**
 * Which part of a matrix is drawn. A trace holds at most the first CAPTURE_LIMIT elements of a buffer, and a room has place for some cells:
 * a larger matrix is cropped to its first rows and columns, and one whose rows are too long to be captured is shown as its
 * first elements in reading order. The label says which of these it is. Pure.
 */
import { CAPTURE_LIMIT } from '../../protocol/trace';

export interface MatrixWindow {
  readonly rows: number;
  readonly columns: number;
  /** Distance between the first elements of two drawn rows. */
  readonly stride: number;
  /** 'first 16x16 of 128x784'; '' when all of it is drawn. */
  readonly label: string;
}

const product = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** A vector is a column, as a bias stands beside its weight; [out, in] as PyTorch keeps it. */
const asMatrix = (shape: readonly number[]): readonly [rows: number, columns: number] => {
  const rows = shape[0] ?? 1;
  return [rows, product(shape.slice(1))];
};

export function matrixWindow(shape: readonly number[], crop: number): MatrixWindow {
  const [allRows, allColumns] = asMatrix(shape);
  const rows = Math.min(allRows, crop);
  const columns = Math.min(allColumns, crop);
  const whole = shape.join('×');
  if ((rows - 1) * allColumns + columns <= CAPTURE_LIMIT) {
    const cropped = rows < allRows || columns < allColumns;
    const part = shape.length < 2 ? `${rows}` : `${rows}×${columns}`;
    return { rows, columns, stride: allColumns, label: cropped ? `first ${part} of ${whole}` : '' };
  }
  const side = Math.min(crop, Math.floor(Math.sqrt(CAPTURE_LIMIT)));
  return { rows: side, columns: side, stride: side, label: `first ${side * side} values of ${whole}` };
}
