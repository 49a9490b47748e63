/**
 * What every data family becomes: rows of float32 inputs with their targets in the form that the loss wants, cut into a training and a test
 * part. Plain data, made once per run by `make-dataset.ts`; batches name rows by their id here.
 */
import { LockstepError } from '../base/errors';

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

/** Refuses targets that a model with `outputs` output features cannot be held against, in PyTorch's words. */
export function checkTargets(dataset: Dataset, outputs: number): void {
  const { targets, rows } = dataset;
  if (targets instanceof Int32Array) {
    const row = targets.findIndex((target) => target < 0 || target >= outputs);
    if (row < 0) return;
    const target = targets[row];
    throw new LockstepError(
      'data',
      `Target ${target} is out of bounds. Row ${row} has class ${target}, the model has ${outputs} outputs (classes 0 to ${outputs - 1}).`,
      `Give the last layer ${targets.reduce((most, t) => Math.max(most, t), 0) + 1} outputs, or number the classes from 0.`,
      { row, target, outputs },
    );
  }
  const [width = 1] = dataset.targetShape;
  if (width !== outputs) {
    throw new LockstepError(
      'shape',
      `Target size (torch.Size([${rows}, ${width}])) must be the same as input size (torch.Size([${rows}, ${outputs}])).`,
      `Give the last layer ${width} ${width === 1 ? 'output' : 'outputs'}.`,
      { width, outputs },
    );
  }
}
