/**
 * The interface of the data families: each draws or reads its rows and describes its targets. Converting targets for a
 * loss (`targets.ts`) and splitting rows (`make-dataset.ts`) is the same for all families.
 */
import type { DataConfig, LossConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import type { Generator } from '../tensor/generator';

/**
 * The kind of rows, for views of the data: points of the plane, images [channels, height, width], token ids [context],
 * or columns.
 */
export type DatasetKind = 'points' | 'image' | 'tokens' | 'table';

export interface Labels {
  /** Class indices, one per row. */
  readonly kind: 'labels';
  readonly classes: number;
  readonly values: Int32Array<ArrayBuffer>;
  readonly names?: readonly string[];
}

export interface Reals {
  /** Real numbers, `width` per row. */
  readonly kind: 'reals';
  readonly width: number;
  readonly values: Float32Array<ArrayBuffer>;
}

/** The target of a position without a target, which torch's losses ignore by default. */
export const NO_TARGET = -100;

export interface NextTokens {
  /** The target token after each position of the input, `length` per row; -100 for a position without a target. */
  readonly kind: 'tokens';
  readonly length: number;
  readonly classes: number;
  readonly values: Int32Array<ArrayBuffer>;
}

export interface Rows {
  readonly kind: DatasetKind;
  /** Float32, or int32 token ids. */
  readonly inputs: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /** The shape of one row. */
  readonly inputShape: readonly number[];
  readonly targets: Labels | Reals | NextTokens;
  readonly columns?: readonly string[];
  /** The text of each token id. */
  readonly vocabulary?: readonly string[];
}

/** Alternates the classes 1, 0, 1, 0 ... so that a batch taken in order is balanced. */
export const alternatingClass = (row: number): 0 | 1 => (row % 2 === 0 ? 1 : 0);

type ConfigOf<T extends DataConfig['type']> = Extract<DataConfig, { type: T }>;

/** What a data set makes its rows from. Only the draws come from the generator, which is already seeded. */
export interface RowsRequest<D extends DataConfig = DataConfig> {
  readonly config: D;
  readonly loss: LossConfig;
  readonly generator: Generator;
  readonly files: Files;
}

/** A data set: each file of families/ exports one. */
export interface DataFamily<D extends DataConfig = DataConfig> {
  readonly type: D['type'];
  rows(request: RowsRequest<D>): Rows;
  /**
   * The lines of a PyTorch script that make `dataset` with the same draws; `quote` writes a text as Python. Absent: a
   * script reads the rows from an exported file.
   */
  torch?(config: D, loss: LossConfig, quote: (text: string) => string): readonly string[];
}

/** Each family takes the configuration of its own type, which TypeScript does not follow through a table of all. */
export const dataFamily = <const T extends DataConfig['type']>(
  family: DataFamily<ConfigOf<T>> & { readonly type: T },
): DataFamily => family as unknown as DataFamily;
