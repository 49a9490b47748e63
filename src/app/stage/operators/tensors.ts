/** How the pictures of operators read tensors: sample 1 of a batch, its channels, matrices of rows. Pure. */

import { formatTick } from '../../draw/format';
import { endOfScale } from '../../draw/value-scale';
import type { MatrixWindow } from '../matrix-window';
import type { DrawnOperand } from './drawn';

import type { Cells } from './sketch';

export const product = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** A batch of images [samples, channels, height, width], or of signals without the height. */
export interface Images {
  readonly operand: DrawnOperand;
  readonly samples: number;
  readonly channels: number;
  readonly rows: number;
  readonly columns: number;
}

export function imagesOf(operand: DrawnOperand | undefined): Images | undefined {
  if (!operand || operand.shape.length < 3 || operand.shape.length > 4) return undefined;
  const [samples = 1, channels = 1, ...size] = operand.shape;
  const [rows = 1, columns = 1] = size.length === 2 ? size : [1, size[0] ?? 1];
  return { operand, samples, channels, rows, columns };
}

/** The number of sample 1's channels whose values are all known; all channels before any value is known. */
export function knownChannels({ operand, channels, rows, columns }: Images): number {
  const { values } = operand;
  return values ? Math.min(channels, Math.floor(values.length / (rows * columns))) : channels;
}

export const channelCells = ({ rows, columns }: Images, channel: number): Cells => ({
  offset: channel * rows * columns,
  stride: columns,
  rows,
  columns,
});

/** 'sample 1 of 8, 4 of 16 channels' */
export function imageWords({ samples, channels }: Images, shown: number): string {
  const of = shown < channels ? `${shown} of ${channels} channels` : channels > 1 ? `${channels} channels` : '';
  return [samples > 1 ? `sample 1 of ${samples}` : '', of].filter((part) => part !== '').join(', ');
}

export const cellsOf = ({
  rows,
  columns,
  stride,
  step,
  tiles,
}: MatrixWindow): Cells & { readonly tiles?: typeof tiles } => ({
  offset: 0,
  stride,
  rows,
  columns,
  ...(step === undefined ? {} : { step }),
  ...(tiles ? { tiles, tile: { rows: tiles.rows, columns: tiles.columns } } : {}),
});

/** A tensor as rows of its last dimension: [samples, features] or [samples, tokens, features]. */
export interface TensorRows {
  readonly rows: number;
  readonly columns: number;
  /** The number of known rows, from the first on. */
  readonly known: number;
}

export function rowsOf({ shape, values }: DrawnOperand): TensorRows {
  const columns = shape.at(-1) ?? 1;
  const rows = product(shape) / columns;
  return { rows, columns, known: values ? Math.min(rows, Math.floor(values.length / columns)) : rows };
}

/** The range of the finite values; [0, 0] if there are none. */
export function rangeOf(values: Iterable<number>): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const v of values)
    if (Number.isFinite(v)) {
      least = Math.min(least, v);
      most = Math.max(most, v);
    }
  return least <= most ? [least, most] : [0, 0];
}

export const mostOf = (values: Iterable<number>): number => {
  const [least, most] = rangeOf(values);
  return Math.max(Math.abs(least), Math.abs(most));
};

/** A setting as a pair, whether it is one number or two (kernel: 3 or [3, 5]). */
export const pairOf = (value: number | readonly number[] | undefined, otherwise: number): readonly [number, number] => {
  if (value === undefined) return [otherwise, otherwise];
  if (typeof value === 'number') return [value, value];
  return [value[0] ?? otherwise, value[1] ?? value[0] ?? otherwise];
};

/** Below this share of its scale a tensor would look white. */
const PALE = 0.35;

export interface OnScale {
  readonly operand: DrawnOperand;
  /** ' ±0.002' if the tensor has its own scale, else ''. */
  readonly note: string;
}

/**
 * A tensor on the scale of its kind of value, or, if that would show nothing, on its own scale; the caption says which.
 */
export function onScale(operand: DrawnOperand): OnScale {
  const { values, end } = operand;
  if (!values || values.length === 0) return { operand, note: '' };
  const own = endOfScale(Float32Array.from(values, Math.abs));
  const pale = own < PALE * end && mostOf(values) > 0;
  return pale ? { operand: { ...operand, end: own }, note: `, ±${formatTick(own)}` } : { operand, note: '' };
}
