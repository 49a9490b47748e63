/**
 * y = max + log sum e^(x - max) over all elements or attr `dim`, as torch.logsumexp. Gradient: dx = dy e^(x - y). A
 * maximum of +-inf is not subtracted, so that a row of -inf gives -inf.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { extentOf, reducedShape } from './extent';

const f = Math.fround;
const extent = (shape: Shape, attrs: Attrs) => extentOf(shape, attrs, 'reduce/logsumexp');

export const logsumexp: OpDef = {
  name: 'reduce/logsumexp',
  infer(inputs, attrs) {
    extent(at(inputs, 0).shape, attrs);
    return [{ shape: reducedShape(at(inputs, 0).shape, attrs), dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    return c.emit('reduce/logsumexp-grad', [dy, c.input(0), c.output(0)], c.types.attrs, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [x, y] = [at(inputs, 0), at(outputs, 0)];
    const { n, inner } = extent(at(inputTypes, 0).shape, attrs);
    for (let i = 0; i < y.length; i++) {
      const start = Math.floor(i / inner) * n * inner + (i % inner);
      const end = start + n * inner;
      let max = Number.NEGATIVE_INFINITY;
      for (let j = start; j < end; j += inner) if ((x[j] as number) > max) max = x[j] as number;
      if (!Number.isFinite(max)) max = 0;
      let total = 0;
      for (let j = start; j < end; j += inner) total = f(total + f(Math.exp(f((x[j] as number) - max))));
      y[i] = max + f(Math.log(total));
    }
  },
  lower(types) {
    const { outer, n, inner } = extent(at(types.inputs, 0).shape, types.attrs);
    return [dense('reduce/logsumexp', types, [outer, n, inner], grid(outer * inner))];
  },
  flops: (types) => 11 * elements(at(types.inputs, 0).shape),
};

export const logsumexpGrad: OpDef = {
  name: 'reduce/logsumexp-grad',
  infer: (inputs) => [{ shape: at(inputs, 1).shape, dtype: 'f32' }],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [dy, x, y, dx] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(outputs, 0)];
    const { outer, n, inner } = extent(at(inputTypes, 1).shape, attrs);
    let i = 0;
    for (let o = 0; o < outer; o++)
      for (let k = 0; k < n; k++)
        for (let j = o * inner; j < (o + 1) * inner; j++, i++)
          dx[i] = (dy[j] as number) * f(Math.exp(f((x[i] as number) - (y[j] as number))));
  },
  lower(types) {
    const { shape } = at(types.inputs, 1);
    const { outer, n, inner } = extent(shape, types.attrs);
    return [dense('reduce/logsumexp-grad', types, [outer, n, inner], grid(elements(shape)))];
  },
  flops: (types) => 10 * elements(at(types.outputs, 0).shape),
};
