/**
 * Does the model fit its data? Walks the layers with sizes only and throws in PyTorch's words, naming the layer, the sizes and the remedy. Called by
 * `session` before anything is built, so that the page can point at the layer; the operators' own shape rules would find the same, later.
 */
import { LockstepError } from '../base/errors';
import type { LayerConfig, LossConfig } from '../protocol/config';

export interface TargetInfo {
  readonly dtype: 'f32' | 'i32';
  /** Columns of a float32 target; 1 for class indices. */
  readonly columns: number;
}

const size = (...sizes: readonly number[]): string => `torch.Size([${sizes.join(', ')}])`;

/**
 * Returns how many features the model's output has. `rows` (the batch) only appears in messages, as PyTorch prints it. Whether class indices are
 * below that number is for the data room, which knows their rows.
 */
export function checkModel(
  layers: readonly LayerConfig[],
  inputFeatures: number,
  loss: LossConfig,
  target: TargetInfo,
  rows = 1,
): number {
  let features = inputFeatures;
  let source = 'the data has';
  layers.forEach((layer, index) => {
    if (layer.type !== 'Linear') return;
    if (layer.in !== features) {
      throw new LockstepError(
        'shape',
        `layer ${index} (Linear): mat1 and mat2 shapes cannot be multiplied (${rows}x${features} and ${layer.in}x${layer.out})`,
        `Set in_features of layer ${index} to ${features}: ${source} ${features} columns.`,
        { layer: index, expected: features, actual: layer.in },
      );
    }
    features = layer.out;
    source = `layer ${index} gives`;
  });
  if (!layers.some(({ type }) => type === 'Linear')) {
    throw new LockstepError(
      'shape',
      'optimizer got an empty parameter list',
      'Add a Linear layer: the others learn nothing.',
    );
  }
  checkLoss(features, loss, target, rows);
  return features;
}

function checkLoss(features: number, loss: LossConfig, target: TargetInfo, rows: number): void {
  const details = { outputs: features, columns: target.columns };
  if (loss.type === 'CrossEntropyLoss') {
    if (target.dtype !== 'i32') {
      throw new LockstepError(
        'data',
        'CrossEntropyLoss: expected scalar type Long but found Float',
        'CrossEntropyLoss takes class indices; for real-valued targets use MSELoss.',
        details,
      );
    }
    return;
  }
  if (target.columns === features) return;
  const hint = `Set out_features of the last Linear layer to ${target.columns}: the target has that many columns.`;
  if (loss.type === 'BCEWithLogitsLoss') {
    const message = `Target size (${size(rows, target.columns)}) must be the same as input size (${size(rows, features)})`;
    throw new LockstepError('shape', `BCEWithLogitsLoss: ${message}`, hint, details);
  }
  const message = `Using a target size (${size(rows, target.columns)}) that is different to the input size (${size(rows, features)})`;
  throw new LockstepError('shape', `MSELoss: ${message}`, hint, details);
}
