/**
 * The layout of logits and targets of a classification loss: logits [..., C] with targets [...], or, with attr dim = 1,
 * PyTorch's [N, C, d1, ...] with targets [N, d1, ...]. Targets are int32 labels, or float32 class probabilities with
 * the shape of the logits. Refuses other shapes in PyTorch's words.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import type { Attrs, TensorType } from '../../op';

export interface ClassLayout {
  readonly rows: number;
  readonly classes: number;
  /** Elements between neighbouring classes of a row. */
  readonly inner: number;
  readonly probabilities: boolean;
  /** The shape of the tensor with one loss per row. */
  readonly rowShape: Shape;
}

export function classLayout(inputs: readonly TensorType[], attrs: Attrs): ClassLayout {
  const x = at(inputs, 0).shape;
  const dim = attrs.dim === 1 ? 1 : x.length - 1;
  const classes = x[dim] ?? 1;
  const inner = elements(x.slice(dim + 1));
  const rowShape = [...x.slice(0, dim), ...x.slice(dim + 1)];
  const probabilities = at(inputs, 1).dtype === 'f32';
  return { rows: elements(rowShape), classes, inner, probabilities, rowShape: rowShape.length ? rowShape : [1] };
}

export function checkClassTargets(inputs: readonly TensorType[], attrs: Attrs, logProbs: boolean): void {
  const [x, target] = [at(inputs, 0), at(inputs, 1)];
  const { classes, probabilities, rowShape } = classLayout(inputs, attrs);
  if (probabilities && (logProbs || !sameShape(target.shape, x.shape)))
    throw new LockstepError(
      'data',
      'expected scalar type Long but found Float',
      'Targets must be class indices (whole numbers from 0) or, for CrossEntropyLoss, class probabilities with the shape of the output.',
    );
  if (!probabilities && !sameShape(target.shape, rowShape)) {
    const [batch, given] = [rowShape[0] ?? 0, target.shape[0] ?? 0];
    throw new LockstepError(
      'shape',
      batch === given
        ? `Expected target size ${formatShape(rowShape)}, got ${formatShape(target.shape)}`
        : `Expected input batch_size (${batch}) to match target batch_size (${given}).`,
    );
  }
  const weight = inputs[2]?.shape;
  if (weight && !sameShape(weight, [classes]))
    throw new LockstepError(
      'shape',
      `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: ${formatShape(weight)}`,
    );
}
