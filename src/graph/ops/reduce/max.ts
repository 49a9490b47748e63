/**
 * Largest element over attr `dim`, as torch.max(x, dim) with (values, indices): among equal elements the first, which
 * gets the gradient. Without `dim` over all elements, as torch.max(x): the second output then counts the ties, which
 * share the gradient evenly. NaN is larger than everything.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef, TensorType } from '../../op';
import { extentOf, reducedShape } from './extent';
import { sumSteps } from './sum-steps';

const overAll = (attrs: Attrs): boolean => attrs.dim === undefined;
const extent = (shape: Shape, attrs: Attrs) => extentOf(shape, attrs, 'reduce/max');
const typesOf = (shape: Shape): readonly TensorType[] => [
  { shape, dtype: 'f32' },
  { shape, dtype: 'i32' },
];

/**
 * Over all elements: partial maxima with their ties, then the maxima of these, cut like a sum. Over a dimension: one
 * step.
 */
const stepsOf = (shape: Shape, attrs: Attrs) => {
  const { outer, n, inner } = extent(shape, attrs);
  return overAll(attrs) ? sumSteps([{ outer, n, inner }]) : [{ outer, plane: n * inner, columns: inner }];
};

export const max: OpDef = {
  name: 'reduce/max',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    const scratch = stepsOf(shape, attrs).slice(0, -1);
    return [...typesOf(reducedShape(shape, attrs)), ...scratch.flatMap((step) => typesOf([step.outer * step.columns]))];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    if (overAll(c.types.attrs))
      return c.emit('reduce/max-all-grad', [dy, c.input(0), c.output(0), c.output(1)], {}, [0]);
    const { shape } = at(c.types.inputs, 0);
    return c.emit('reduce/max-grad', [dy, c.output(1)], { shape, ...extent(shape, c.types.attrs) }, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const steps = stepsOf(at(inputTypes, 0).shape, attrs);
    const ties = overAll(attrs);
    steps.forEach(({ plane, columns }, k) => {
      const to = k === steps.length - 1 ? 0 : 2 * (k + 1);
      const [x, y, aux] = [k === 0 ? at(inputs, 0) : at(outputs, 2 * k), at(outputs, to), at(outputs, to + 1)];
      const weights = k === 0 ? undefined : at(outputs, 2 * k + 1);
      for (let i = 0; i < y.length; i++) {
        const start = Math.floor(i / columns) * plane + (i % columns);
        const end = Math.floor(i / columns) * plane + plane;
        let best = x[start] as number;
        let chosen = 0;
        let count = 0;
        for (let j = start; j < end; j += columns) {
          const v = x[j] as number;
          const weight = weights ? (weights[j] as number) : 1;
          if (v > best || (Number.isNaN(v) && !Number.isNaN(best))) {
            best = v;
            chosen = (j - start) / columns;
            count = weight;
          } else if (v === best || Number.isNaN(v)) count += weight;
        }
        y[i] = best;
        aux[i] = ties ? count : chosen;
      }
    });
  },
  lower(types) {
    const steps = stepsOf(at(types.inputs, 0).shape, types.attrs);
    return steps.map(({ outer, plane, columns }, k) => {
      const to = k === steps.length - 1 ? 1 : 1 + 2 * (k + 1);
      return {
        kind: 'dense',
        kernel: 'reduce/max',
        constants: { TIES: overAll(types.attrs) ? 1 : 0, WEIGHTED: k === 0 ? 0 : 1 },
        // The first step has no weights: their binding gets x, which the kernel does not read through it.
        bindings: [k === 0 ? 0 : 1 + 2 * k, k === 0 ? 0 : 2 + 2 * k, to, to + 1],
        params: [outer, plane, columns],
        workgroups: grid(outer * columns),
      };
    });
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};

/**
 * Inputs dy and the indices; output dx: dy at the index, 0 elsewhere. Attrs: the shape of x and its view [outer, n,
 * inner].
 */
export const maxGrad: OpDef = {
  name: 'reduce/max-grad',
  infer: (_, attrs) => [{ shape: attrs.shape as Shape, dtype: 'f32' }],
  cpu({ inputs, outputs, attrs }) {
    const [dy, index, dx] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    const [n, inner] = [Number(attrs.n), Number(attrs.inner)];
    dx.fill(0);
    for (let i = 0; i < dy.length; i++)
      dx[(Math.floor(i / inner) * n + (index[i] as number)) * inner + (i % inner)] = dy[i] as number;
  },
  lower(types) {
    const { outer, n, inner } = types.attrs;
    const params = [Number(outer), Number(n), Number(inner)];
    return [dense('reduce/max-grad', types, params, grid(elements(at(types.outputs, 0).shape)))];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};

/**
 * Inputs dy [1], x, its maximum [1] and how many elements equal it [1]; output dx = dy / ties where x is the maximum
 * (or both are NaN), else 0.
 */
export const maxAllGrad: OpDef = {
  name: 'reduce/max-all-grad',
  infer: (inputs) => [{ shape: at(inputs, 1).shape, dtype: 'f32' }],
  cpu({ inputs, outputs }) {
    const [x, dx] = [at(inputs, 1), at(outputs, 0)];
    const [dy = 0, max = 0, ties = 1] = [inputs[0]?.[0], inputs[2]?.[0], inputs[3]?.[0]];
    const share = dy / ties;
    const poisoned = Number.isNaN(max);
    for (let i = 0; i < dx.length; i++) dx[i] = x[i] === max || (poisoned && Number.isNaN(x[i])) ? share : 0;
  },
  lower(types) {
    const n = elements(at(types.outputs, 0).shape);
    return [dense('reduce/max-all-grad', types, [n], grid(n))];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};
