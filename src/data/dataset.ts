/**
 * What every data family becomes: rows of float32 inputs with their targets in the form that the loss wants, cut into a training and a test
 * part. Plain data, made once per run by `make-dataset.ts`; batches name rows by their id here.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { IGNORE_INDEX } from '../graph/ops/loss/cross-entropy';

export interface Dataset {
  readonly task: 'classification' | 'regression';
  readonly rows: number;
  /** Row-major, `rows` times the product of `inputShape`. */
  readonly inputs: Float32Array<ArrayBuffer>;
  readonly inputShape: readonly number[];
  /** CrossEntropyLoss: class indices; else float32, 0/1 for BCEWithLogitsLoss, -1/+1 for classification under MSELoss. */
  readonly targets: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /** Per row: [] for class indices, else [width]. */
  readonly targetShape: readonly number[];
  /** Row ids. */
  readonly train: Int32Array<ArrayBuffer>;
  readonly test: Int32Array<ArrayBuffer>;
  /** Number of classes; 0 in regression. */
  readonly classes: number;
  /** Column names of a file that has them, target included. */
  readonly columns?: readonly string[];
  /** Labels of the classes where a file spelled them in words. */
  readonly classNames?: readonly string[];
}

/** Refuses class indices that a model with `outputs` output features does not have, in PyTorch's words, before a step runs into one. */
export function checkTargets({ targets }: Dataset, outputs: number): void {
  if (!(targets instanceof Int32Array)) return;
  const row = targets.findIndex((target) => target !== IGNORE_INDEX && (target < 0 || target >= outputs));
  if (row < 0) return;
  const target = at(targets, row);
  const classes = targets.reduce((most, t) => Math.max(most, t), 0) + 1;
  throw new LockstepError(
    'data',
    `CrossEntropyLoss: Target ${target} is out of bounds. Row ${row} (counted from 0) has it; the model has ${outputs} ${outputs === 1 ? 'output' : 'outputs'}, for the classes 0 to ${outputs - 1}.`,
    target < 0
      ? 'Number the classes from 0.'
      : `Set out_features of the last Linear layer to ${classes}, or correct the target.`,
    { row, target, outputs },
  );
}
