/**
 * y = sum (x - mean)^2 / (n - 1) over all elements or attr `dim`, as torch.var; attr `unbiased: false` divides by n.
 * The second output is the mean, kept for the gradient dx = dy 2 (x - mean) / (n - 1). The variance of a single sample
 * is NaN, as in torch.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { extentOf, reducedShape } from './extent';

const f = Math.fround;

function viewOf(shape: Shape, attrs: Attrs) {
  const extent = extentOf(shape, attrs, 'reduce/var');
  return { ...extent, divisor: extent.n - (attrs.unbiased === false ? 0 : 1) };
}

export const variance: OpDef = {
  name: 'reduce/var',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    viewOf(shape, attrs);
    const type = { shape: reducedShape(shape, attrs), dtype: 'f32' } as const;
    return [type, type];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    return c.emit('reduce/var-grad', [dy, c.input(0), c.output(1)], c.types.attrs, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [x, y, means] = [at(inputs, 0), at(outputs, 0), at(outputs, 1)];
    const { n, inner, divisor } = viewOf(at(inputTypes, 0).shape, attrs);
    for (let i = 0; i < y.length; i++) {
      const start = Math.floor(i / inner) * n * inner + (i % inner);
      const end = start + n * inner;
      let total = 0;
      for (let j = start; j < end; j += inner) total += x[j] as number;
      const mean = total / n;
      let squares = 0;
      for (let j = start; j < end; j += inner) squares += ((x[j] as number) - mean) ** 2;
      means[i] = mean;
      y[i] = squares / divisor;
    }
  },
  lower(types) {
    const { outer, n, inner, divisor } = viewOf(at(types.inputs, 0).shape, types.attrs);
    return [dense('reduce/var', types, [outer, n, inner, { f32: divisor }], grid(outer * inner))];
  },
  flops: (types) => 4 * elements(at(types.inputs, 0).shape),
};

/** Inputs dy, x and the mean; output dx. */
export const varianceGrad: OpDef = {
  name: 'reduce/var-grad',
  infer: (inputs) => [{ shape: at(inputs, 1).shape, dtype: 'f32' }],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [dy, x, mean, dx] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(outputs, 0)];
    const { outer, n, inner, divisor } = viewOf(at(inputTypes, 1).shape, attrs);
    const scale = f(2 / divisor);
    let i = 0;
    for (let o = 0; o < outer; o++)
      for (let k = 0; k < n; k++)
        for (let j = o * inner; j < (o + 1) * inner; j++, i++)
          dx[i] = f(scale * (dy[j] as number)) * f((x[i] as number) - (mean[j] as number));
  },
  lower(types) {
    const { shape } = at(types.inputs, 1);
    const { outer, n, inner, divisor } = viewOf(shape, types.attrs);
    return [dense('reduce/var-grad', types, [outer, n, inner, { f32: divisor }], grid(elements(shape)))];
  },
  flops: (types) => 3 * elements(at(types.outputs, 0).shape),
};
