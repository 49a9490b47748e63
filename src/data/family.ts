/**
 * The seam of the data families: each draws or reads its rows and says what its targets are; how targets look to a loss and how rows are split
 * is the same for all and stands in `make-dataset.ts`.
 */
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

export interface Rows {
  readonly inputs: Float32Array<ArrayBuffer>;
  readonly features: number;
  readonly targets: Labels | Reals;
  readonly columns?: readonly string[];
}

/** The classes 1, 0, 1, 0 ... so that a batch taken in order is balanced. */
export const alternatingClass = (row: number): 0 | 1 => (row % 2 === 0 ? 1 : 0);
