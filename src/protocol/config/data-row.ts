/** What one row of a data set is like: its shape, the model's outputs for it, and the matching loss. */

export interface RowOfData {
  readonly kind: 'vector' | 'image' | 'tokens';
  /** [features], [channels, height, width] or [tokens]. */
  readonly shape: readonly number[];
  /** For tokens: the number of different ones. */
  readonly vocabulary?: number | undefined;
  /** The number of columns of the last layer. */
  readonly outputs: number;
  readonly loss: 'MSELoss' | 'CrossEntropyLoss' | 'BCEWithLogitsLoss';
}

export const vector = (inputs: number, outputs: number, loss: RowOfData['loss']): RowOfData => ({
  kind: 'vector',
  shape: [inputs],
  outputs,
  loss,
});
export const image = (shape: readonly number[], classes: number): RowOfData => ({
  kind: 'image',
  shape,
  outputs: classes,
  loss: 'CrossEntropyLoss',
});
export const tokens = (context: number, vocabulary: number): RowOfData => ({
  kind: 'tokens',
  shape: [context],
  vocabulary,
  outputs: vocabulary,
  loss: 'CrossEntropyLoss',
});
