/**
 * Inputs and targets from two `.npy` files: inputs [rows, features] or images [rows, channels, height, width]; targets
 * [rows] or [rows, 1] of integers for CrossEntropyLoss, else [rows] or [rows, width] of any kind.
 */
import type { DataConfig, LossConfig } from '../../../protocol/config';
import { elements } from '../../../tensor/shape';
import { dataError, fileBytes } from '../../data-error';
import { dataFamily, type Labels, type Reals, type Rows } from '../../family';
import { checkSize } from '../../limits';
import { type NpyArray, readNpy } from '../../readers/npy';
import { takesClasses } from '../../targets';

type NpyConfig = Extract<DataConfig, { type: 'npy' }>;

function npy(
  config: NpyConfig,
  loss: LossConfig,
  inputBytes: Uint8Array<ArrayBuffer>,
  targetBytes: Uint8Array<ArrayBuffer>,
): Rows {
  const inputs = readNpy(config.inputs, inputBytes);
  const targets = readNpy(config.targets, targetBytes);
  const [rows = 0, ...inputShape] = inputs.shape;
  const images = inputShape.length === 3;
  if ((inputShape.length !== 1 && !images) || elements(inputShape) === 0) {
    throw dataError(
      { file: config.inputs },
      `shape (${inputs.shape.join(', ')})`,
      'two dimensions (rows, features), or four (rows, channels, height, width)',
      'Reshape it with array.reshape(len(array), -1).',
    );
  }
  checkSize(config.type, rows, elements(inputShape), 'Save a part of the rows.');
  if (rows < 2) throw dataError({ file: config.inputs }, `${rows} rows`, 'at least 2', 'Choose a file with more rows.');
  if (targets.shape[0] !== rows || targets.shape.length > 2) {
    throw dataError(
      { file: config.targets },
      `shape (${targets.shape.join(', ')})`,
      `${rows} rows as in ${config.inputs}, in one or two dimensions`,
      'Inputs and targets must have one row each.',
    );
  }
  return {
    kind: images ? 'image' : 'table',
    inputs: inputs.data instanceof Float32Array ? inputs.data : Float32Array.from(inputs.data),
    inputShape,
    targets: takesClasses(loss.type) ? indices(config.targets, targets) : reals(targets, loss),
  };
}

function indices(file: string, { data, descr, shape }: NpyArray): Labels {
  if (!(data instanceof Int32Array)) {
    throw dataError(
      { file },
      `dtype ${descr}`,
      'integers: class indices for CrossEntropyLoss',
      'Save it with array.astype(np.int64).',
    );
  }
  if ((shape[1] ?? 1) !== 1)
    throw dataError(
      { file },
      `shape (${shape.join(', ')})`,
      'one class index per row',
      'Save the indices, not one-hot rows: array.argmax(1).',
    );
  return { kind: 'labels', classes: data.reduce((most, value) => Math.max(most, value + 1), 0), values: data };
}

function reals({ data, shape }: NpyArray, loss: LossConfig): Labels | Reals {
  const width = shape[1] ?? 1;
  if (loss.type === 'BCEWithLogitsLoss' && width === 1 && data.every((value) => value === 0 || value === 1)) {
    return { kind: 'labels', classes: 2, values: Int32Array.from(data) };
  }
  return { kind: 'reals', width, values: Float32Array.from(data) };
}

export const family = dataFamily({
  type: 'npy',
  rows: ({ config, loss, files }) =>
    npy(config, loss, fileBytes(files, config.inputs), fileBytes(files, config.targets)),
});
