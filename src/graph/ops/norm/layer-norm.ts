/**
 * y = (x - mean) rstd weight + bias over the last dimensions, as torch.nn.functional.layer_norm: attrs
 * `normalizedShape` (the sizes of those dimensions) and `eps`; inputs x, weight and bias of normalizedShape (both or
 * none); outputs y, and mean and rstd = 1 / sqrt(biased variance + eps) of each row for the gradient. The CPU computes
 * the moments in double precision, a GPU in two passes.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape, sameShape } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';

export interface NormRows {
  readonly rows: number;
  readonly columns: number;
}

const list = (sizes: Shape): string => sizes.join(', ');

/** torch's checks, in its words; refuses an empty input. */
export function rowsToNormalize(shape: Shape, attrs: Attrs): NormRows {
  const normalized = attrs.normalizedShape as readonly number[] | undefined;
  const sizes = normalized ?? shape.slice(-1);
  if (sizes.length === 0 || !sameShape(shape.slice(-sizes.length), sizes)) {
    throw new LockstepError(
      'shape',
      `Given normalized_shape=[${list(sizes)}], expected input with shape [*, ${list(sizes)}], but got input of size${formatShape(shape)}`,
      'normalized_shape must be the sizes of the last dimensions of the input.',
    );
  }
  const columns = elements(sizes);
  const rows = elements(shape) / columns;
  if (!(rows > 0))
    throw new LockstepError(
      'shape',
      `a norm layer got an empty input of size ${formatShape(shape)}`,
      'A batch needs at least one row.',
    );
  return { rows, columns };
}

/** Neighbours that a kernel computes at a time: four if 4 divides the row. */
export const widthOf = (columns: number): 1 | 4 => (columns % 4 === 0 ? 4 : 1);

export const layerNorm: OpDef = {
  name: 'norm/layer-norm',
  infer(inputs, attrs) {
    const x = at(inputs, 0);
    const { rows, columns } = rowsToNormalize(x.shape, attrs);
    inputs.slice(1).forEach(({ shape }, i) => {
      if (elements(shape) === columns) return;
      const sizes = list((attrs.normalizedShape as readonly number[] | undefined) ?? [columns]);
      throw new LockstepError(
        'shape',
        `Expected ${i === 0 ? 'weight' : 'bias'} to be of same shape as normalized_shape, but got ${i === 0 ? 'weight' : 'bias'} of shape ${formatShape(shape)} and normalized_shape = [${sizes}]`,
      );
    });
    return [x, { shape: [rows], dtype: 'f32' }, { shape: [rows], dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const affine = c.types.inputs.length > 1;
    const saved = [dy, c.input(0), c.output(1), c.output(2)];
    // Parameter gradients first, so that DDP's buckets get ready before the input gradient is computed.
    const [dweight, dbias] =
      affine && (c.needsGrad(1) || c.needsGrad(2))
        ? c.emit('norm/layer-norm-grad-params', saved, c.types.attrs, [1, 2])
        : [];
    const operands = affine ? [...saved, c.input(1)] : saved;
    const dx = c.needsGrad(0) ? c.emit('norm/layer-norm-grad-input', operands, c.types.attrs, [0])[0] : undefined;
    return [dx, dweight, dbias];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { rows, columns } = rowsToNormalize(at(inputTypes, 0).shape, attrs);
    const [x, weight, bias] = [at(inputs, 0), inputs[1], inputs[2]];
    const [y, mean, rstd] = [at(outputs, 0), at(outputs, 1), at(outputs, 2)];
    for (let r = 0; r < rows; r++) {
      const start = r * columns;
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += x[start + k] as number;
      const center = sum / columns;
      let squares = 0;
      for (let k = 0; k < columns; k++) {
        const d = (x[start + k] as number) - center;
        squares += d * d;
      }
      const scale = 1 / Math.sqrt(squares / columns + Number(attrs.eps ?? 1e-5));
      mean[r] = center;
      rstd[r] = scale;
      for (let k = 0; k < columns; k++) {
        const v = ((x[start + k] as number) - center) * scale;
        y[start + k] = weight && bias ? v * (weight[k] as number) + (bias[k] as number) : v;
      }
    }
  },
  lower(types) {
    const { rows, columns } = rowsToNormalize(at(types.inputs, 0).shape, types.attrs);
    const affine = types.inputs.length > 1;
    const width = widthOf(columns);
    return [
      {
        kind: 'dense',
        kernel: width === 4 ? 'norm/layer-norm-vec4' : 'norm/layer-norm',
        constants: { AFFINE: affine ? 1 : 0 },
        // Without weight and bias, their bindings get x, which the kernel then does not read through them.
        bindings: affine ? [0, 1, 2, 3, 4, 5] : [0, 0, 0, 1, 2, 3],
        params: [rows, columns / width, { f32: Number(types.attrs.eps ?? 1e-5) }],
        workgroups: grid(rows),
      },
    ];
  },
  flops: (types) => 8 * elements(at(types.inputs, 0).shape),
};
