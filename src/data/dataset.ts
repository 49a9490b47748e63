/**
 * The common form of all data families: rows of inputs (float32, or int32 token ids) with targets in the form that the
 * loss needs, split into a training and a test part. Plain data, made once per run by `make-dataset.ts`; batches refer
 * to rows by their ids here.
 */
import { at } from '../base/invariant';
import { refusedSettings } from '../base/refused-settings';
import type { LossConfig } from '../protocol/config';
import type { DType } from '../tensor/shape';
import { type DatasetKind, NO_TARGET } from './family';

export interface Dataset {
  readonly kind: DatasetKind;
  readonly task: 'classification' | 'regression';
  readonly rows: number;
  /** Row-major, `rows` times the product of `inputShape`. */
  readonly inputs: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /** i32 for token ids. */
  readonly inputType: DType;
  /** Shape of one row: [features], [channels, height, width] or [context]. */
  readonly inputShape: readonly number[];
  /**
   * CrossEntropyLoss: class indices; else float32, 0/1 for BCEWithLogitsLoss, -1/+1 for classification under MSELoss.
   */
  readonly targets: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /**
   * Per row: [] for one class index, [context] for the next token at each position (-100: ignored), otherwise [width].
   */
  readonly targetShape: readonly number[];
  /** Row ids. */
  readonly train: Int32Array<ArrayBuffer>;
  readonly test: Int32Array<ArrayBuffer>;
  /** Number of classes (of tokens: the size of the vocabulary); 0 in regression. */
  readonly classes: number;
  /** Column names of a file that has them, target included. */
  readonly columns?: readonly string[];
  /** Names of the classes, if any: words of a file, folders of images. */
  readonly classNames?: readonly string[];
  /** Tokens: the text of each id, to show sequences and to sample. */
  readonly vocabulary?: readonly string[];
}

/**
 * Refuses class indices that a model with `outputs` classes lacks, in PyTorch's words, before training. For tokens
 * `outputs` is the number of logits at each position.
 */
export function checkTargets(
  dataset: Dataset,
  outputs: number,
  ignoreIndex: number = NO_TARGET,
  loss: LossConfig['type'] = 'CrossEntropyLoss',
): void {
  const { targets } = dataset;
  if (!(targets instanceof Int32Array)) return;
  const index = targets.findIndex((target) => target !== ignoreIndex && (target < 0 || target >= outputs));
  if (index < 0) return;
  const target = at(targets, index);
  const classes = targets.reduce((most, t) => Math.max(most, t), 0) + 1;
  const { row, place, position } = placeOf(dataset.targetShape, index);
  throw refusedSettings({
    code: 'data',
    settings: { 'loss.type': loss },
    why: `Target ${target} is out of bounds. ${place} has this target; the model has ${outputs} ${outputs === 1 ? 'output' : 'outputs'}, for the classes 0 to ${outputs - 1}`,
    hint:
      target < 0
        ? 'Number the classes from 0.'
        : `Set out_features of the last Linear layer to ${classes}, or correct the target.`,
    details: { row, target, outputs, ...(position === undefined ? {} : { position }) },
  });
}

/** Refuses token ids beyond an embedding of `numEmbeddings` rows. Real-valued inputs always pass. */
export function checkTokens({ inputs, inputShape }: Dataset, numEmbeddings: number): void {
  if (!(inputs instanceof Int32Array)) return;
  const index = inputs.findIndex((id) => id < 0 || id >= numEmbeddings);
  if (index < 0) return;
  const { row, place, position } = placeOf(inputShape, index);
  const needed = inputs.reduce((most, id) => Math.max(most, id), 0) + 1;
  throw refusedSettings({
    code: 'data',
    settings: { numEmbeddings },
    why: `Embedding: index out of range in self. ${place} has the token ${at(inputs, index)}; the embedding has rows for the tokens 0 to ${numEmbeddings - 1}`,
    hint: `Set numEmbeddings to ${needed}.`,
    details: { row, token: at(inputs, index), ...(position === undefined ? {} : { position }) },
  });
}

function placeOf(shape: readonly number[], index: number): { row: number; place: string; position?: number } {
  const width = shape.reduce((n, size) => n * size, 1);
  const row = Math.floor(index / width);
  if (shape.length === 0) return { row, place: `Row ${row} (counted from 0)` };
  const position = index % width;
  return { row, position, place: `Row ${row}, position ${position} (counted from 0)` };
}
