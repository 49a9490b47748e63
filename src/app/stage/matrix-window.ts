/**
 * Which part of a tensor is drawn, and how. A trace holds the first elements of a buffer (capturedElements), and a room
 * has place for some cells. So a larger matrix is cropped to its first rows and columns, or, if its rows are too long
 * to be captured, shown as its first elements in reading order. A Conv2d's weight is shown as small tiles, one per
 * filter; images as the first sample, one tile per channel; token activations as the first sample, one row per token.
 * The label says which. Pure.
 */
import { CAPTURE_LIMIT, capturedElements } from '../../protocol/trace';

/** Small matrices that are consecutive in memory, set in a grid. */
export interface Tiles {
  readonly rows: number;
  readonly columns: number;
  /** The number of tiles across the grid. */
  readonly across: number;
  readonly count: number;
}

export interface MatrixWindow {
  readonly rows: number;
  readonly columns: number;
  /** Distance in memory between the first elements of two drawn rows. */
  readonly stride: number;
  /** Distance in memory between two columns, if it is not 1. */
  readonly step?: number;
  readonly tiles?: Tiles;
  /** Drawn size of a cell, in cells of the layout; the pixels of an image are smaller than 1. */
  readonly unit: number;
  /** 'first 16x16 of 128x784'; '' if the whole tensor is drawn. */
  readonly label: string;
}

const product = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** A matrix is [out, in], as PyTorch stores it; a vector is a column, like a bias beside its weight. */
const asMatrix = (shape: readonly number[]): readonly [rows: number, columns: number] => {
  const rows = shape[0] ?? 1;
  return [rows, product(shape.slice(1))];
};

function tiled(
  tile: readonly [rows: number, columns: number],
  all: number,
  { across, most, known }: { readonly across: number; readonly most: number; readonly known: number },
) {
  const [rows, columns] = tile;
  const count = Math.max(1, Math.min(all, most, Math.floor(known / (rows * columns))));
  const wide = Math.max(1, Math.min(across, count));
  const down = Math.ceil(count / wide);
  return {
    rows: down * rows,
    columns: wide * columns,
    stride: wide * columns,
    tiles: { rows, columns, across: wide, count },
    unit: 1,
  };
}

/** Filters in reading order, in a grid about twice as wide as high, with whole rows of input channels if possible. */
function filters(shape: readonly number[], crop: number): MatrixWindow {
  const [out = 1, into = 1, height = 1, width = 1] = shape;
  const all = out * into;
  const most = Math.max(1, Math.floor(crop / height)) * Math.max(1, Math.floor(crop / width));
  const across = Math.max(1, Math.min(Math.floor(crop / width), Math.ceil(Math.sqrt(all))));
  const window = tiled([height, width], all, { across, most, known: CAPTURE_LIMIT });
  const { count } = window.tiles;
  return { ...window, label: count < all ? `first ${count} of ${all} filters` : '' };
}

export function matrixWindow(shape: readonly number[], crop: number): MatrixWindow {
  if (shape.length === 4 && (shape[2] ?? 1) * (shape[3] ?? 1) <= CAPTURE_LIMIT) return filters(shape, crop);
  const [allRows, allColumns] = asMatrix(shape);
  const rows = Math.min(allRows, crop);
  const columns = Math.min(allColumns, crop);
  const whole = shape.join('×');
  if ((rows - 1) * allColumns + columns <= CAPTURE_LIMIT) {
    const cropped = rows < allRows || columns < allColumns;
    const part = shape.length < 2 ? `${rows}` : `${rows}×${columns}`;
    return { rows, columns, stride: allColumns, unit: 1, label: cropped ? `first ${part} of ${whole}` : '' };
  }
  const side = Math.min(crop, Math.floor(Math.sqrt(CAPTURE_LIMIT)));
  return { rows: side, columns: side, stride: side, unit: 1, label: `first ${side * side} values of ${whole}` };
}

/** The height of any image, in rows of cells. */
const IMAGE_CELLS = 9;

/** The window of a batch [rows, ...]: a matrix if rows are vectors, else the first sample. */
export function activationWindow(shape: readonly number[], crop: number): MatrixWindow {
  const [batch = 1, ...row] = shape;
  const of = batch > 1 ? `, sample 1 of ${batch}` : '';
  if (row.length === 3) {
    const [channels = 1, height = 1, width = 1] = row;
    const known = capturedElements(shape);
    const held = Math.max(1, Math.floor(known / (height * width)));
    const side = Math.max(1, Math.floor(Math.sqrt(Math.min(channels, held, 16))));
    const rows = Math.min(height, Math.max(1, Math.floor(known / width)));
    const window = tiled([rows, width], channels, { across: side, most: side * side, known });
    const { count } = window.tiles;
    const label = `${channels === 1 ? '' : `${count === channels ? 'all' : `first ${count} of`} ${channels} channels`}${of}`;
    return { ...window, unit: Math.min(1, IMAGE_CELLS / window.rows), label: label.replace(/^, /, '') };
  }
  if (row.length === 2) {
    const [tokens = 1, width = 1] = row;
    const columns = Math.min(width, crop);
    const rows = Math.max(1, Math.min(tokens, crop, Math.floor((capturedElements(shape) - columns) / width) + 1));
    const cropped = rows < tokens || columns < width;
    return {
      rows,
      columns,
      stride: width,
      unit: 1,
      label: `${cropped ? `first ${rows}×${columns} of ` : ''}${tokens}×${width}${of}`,
    };
  }
  return matrixWindow(shape, crop);
}
