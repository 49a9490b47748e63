/**
 * The gradient of layer norm: dweight and dbias, summed over the rows in parts, and dx. Emitted by the rule of
 * norm/layer-norm.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { OpDef } from '../../op';
import { type NormRows, rowsToNormalize, widthOf } from './layer-norm';

/** Rows of a column that one invocation sums, and the most parts of a column, which one invocation combines. */
const PART = 32;
const MOST_PARTS = 128;
const partsOf = ({ rows }: NormRows): number => Math.min(MOST_PARTS, Math.ceil(rows / PART));

/** Inputs dy, x, mean, rstd; outputs dweight, dbias of normalizedShape, and scratch. */
export const layerNormGradParams: OpDef = {
  name: 'norm/layer-norm-grad-params',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    const view = rowsToNormalize(shape, attrs);
    const normalized = (attrs.normalizedShape as readonly number[] | undefined) ?? shape.slice(-1);
    const parameter = { shape: normalized, dtype: 'f32' } as const;
    return [parameter, parameter, { shape: [2, partsOf(view), view.columns], dtype: 'f32' }];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const view = rowsToNormalize(at(inputTypes, 0).shape, attrs);
    const { rows, columns } = view;
    const parts = partsOf(view);
    const [dy, x, mean, rstd] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)];
    const [dweight, dbias, partial] = [at(outputs, 0), at(outputs, 1), at(outputs, 2)];
    const second = parts * columns;
    partial.fill(0);
    for (let r = 0; r < rows; r++) {
      const [center, scale] = [mean[r] as number, rstd[r] as number];
      let out = (r % parts) * columns;
      for (let i = r * columns; i < (r + 1) * columns; i++, out++) {
        const g = dy[i] as number;
        partial[out] = (partial[out] as number) + g * (((x[i] as number) - center) * scale);
        partial[out + second] = (partial[out + second] as number) + g;
      }
    }
    for (let k = 0; k < columns; k++) {
      let [w, b] = [0, 0];
      for (let i = k; i < second; i += columns) {
        w += partial[i] as number;
        b += partial[second + i] as number;
      }
      dweight[k] = w;
      dbias[k] = b;
    }
  },
  lower(types) {
    const view = rowsToNormalize(at(types.inputs, 0).shape, types.attrs);
    const parts = partsOf(view);
    const width = widthOf(view.columns);
    return [
      {
        kind: 'dense',
        kernel: width === 4 ? 'norm/layer-norm-grad-params-vec4' : 'norm/layer-norm-grad-params',
        bindings: [0, 1, 2, 3, 6],
        params: [view.rows, view.columns / width, parts],
        workgroups: grid((parts * view.columns) / width),
      },
      {
        kind: 'dense',
        kernel: 'norm/layer-norm-grad-params-join',
        bindings: [6, 4, 5],
        params: [view.columns, parts],
        workgroups: grid(view.columns),
      },
    ];
  },
  flops: (types) => 5 * elements(at(types.inputs, 0).shape),
};

/** Inputs dy, x, mean, rstd, weight (optional); output dx. */
export const layerNormGradInput: OpDef = {
  name: 'norm/layer-norm-grad-input',
  infer: (inputs) => [at(inputs, 0)],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { rows, columns } = rowsToNormalize(at(inputTypes, 0).shape, attrs);
    const [dy, x, mean, rstd] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)];
    const [weight, dx] = [inputs[4], at(outputs, 0)];
    for (let r = 0; r < rows; r++) {
      const start = r * columns;
      const [center, scale] = [mean[r] as number, rstd[r] as number];
      let [sum, sumXmu] = [0, 0];
      for (let k = 0; k < columns; k++) {
        const g = (dy[start + k] as number) * (weight ? (weight[k] as number) : 1);
        sum += g;
        sumXmu += g * ((x[start + k] as number) - center);
      }
      const meanG = sum / columns;
      const slope = (sumXmu / columns) * scale * scale;
      for (let k = 0; k < columns; k++) {
        const g = (dy[start + k] as number) * (weight ? (weight[k] as number) : 1);
        dx[start + k] = (g - meanG - ((x[start + k] as number) - center) * slope) * scale;
      }
    }
  },
  lower(types) {
    const { rows, columns } = rowsToNormalize(at(types.inputs, 0).shape, types.attrs);
    const affine = types.inputs.length > 4;
    const width = widthOf(columns);
    return [
      {
        kind: 'dense',
        kernel: width === 4 ? 'norm/layer-norm-grad-input-vec4' : 'norm/layer-norm-grad-input',
        constants: { AFFINE: affine ? 1 : 0 },
        bindings: affine ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3, 3, 4],
        params: [rows, columns / width],
        workgroups: grid(rows),
      },
    ];
  },
  flops: (types) => 9 * elements(at(types.inputs, 0).shape),
};
