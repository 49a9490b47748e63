/**
 * The seam of the data families: each draws or reads its rows and says what its targets are; how targets look to a loss
 * (`targets.ts`) and how rows are split (`make-dataset.ts`) is the same for all.
 */
/**
 * What the rows are, for whoever shows them: points of the plane, images [channels, height, width], token ids
 * [context], or columns.
 */
export type DatasetKind = 'points' | 'image' | 'tokens' | 'table';

export interface Labels {
  /** Class indices, one a row. */
  readonly kind: 'labels';
  readonly classes: number;
  readonly values: Int32Array<ArrayBuffer>;
  readonly names?: readonly string[];
}

export interface Reals {
  /** Real numbers, `width` a row. */
  readonly kind: 'reals';
  readonly width: number;
  readonly values: Float32Array<ArrayBuffer>;
}

/**
 * The target of a position at which nothing is asked: what the losses of torch ignore by default.
 */
export const NO_TARGET = -100;

export interface NextTokens {
  /** The token id that is asked for after each position of the input, `length` a row; -100 where nothing is asked. */
  readonly kind: 'tokens';
  readonly length: number;
  readonly classes: number;
  readonly values: Int32Array<ArrayBuffer>;
}

export interface Rows {
  readonly kind: DatasetKind;
  /** Float32, or int32 token ids. */
  readonly inputs: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /** Of one row. */
  readonly inputShape: readonly number[];
  readonly targets: Labels | Reals | NextTokens;
  readonly columns?: readonly string[];
  /** The text of each token id. */
  readonly vocabulary?: readonly string[];
}

/** The classes 1, 0, 1, 0 ... so that a batch taken in order is balanced. */
export const alternatingClass = (row: number): 0 | 1 => (row % 2 === 0 ? 1 : 0);
