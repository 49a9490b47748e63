/**
 * y = sqrt(sum x^2) over all elements or attr `dim`, as torch.norm(x, p=2, dim), with the partial sums of 'ops/sum'.
 * Gradient: dx = x dy / y, 0 where the norm is 0.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { extentOf, reducedShape } from './extent';
import { cpuSum, lowerSum, scratchTypes, sumSteps } from './sum-steps';

const f = Math.fround;
const extent = (shape: Shape, attrs: Attrs) => extentOf(shape, attrs, 'reduce/norm');
const stepsOf = (shape: Shape, attrs: Attrs) => sumSteps([extent(shape, attrs)]);

export const norm: OpDef = {
  name: 'reduce/norm',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    return [{ shape: reducedShape(shape, attrs), dtype: 'f32' }, ...scratchTypes(stepsOf(shape, attrs))];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    return c.emit('reduce/norm-grad', [dy, c.input(0), c.output(0)], c.types.attrs, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    cpuSum(stepsOf(at(inputTypes, 0).shape, attrs), at(inputs, 0), outputs, { norm: true });
  },
  lower: (types) => lowerSum(stepsOf(at(types.inputs, 0).shape, types.attrs), { norm: true }),
  flops: (types) => 2 * elements(at(types.inputs, 0).shape),
};

export const normGrad: OpDef = {
  name: 'reduce/norm-grad',
  infer: (inputs) => [{ shape: at(inputs, 1).shape, dtype: 'f32' }],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [dy, x, y, dx] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(outputs, 0)];
    const { outer, n, inner } = extent(at(inputTypes, 1).shape, attrs);
    let i = 0;
    for (let o = 0; o < outer; o++) {
      for (let k = 0; k < n; k++) {
        for (let j = o * inner; j < (o + 1) * inner; j++, i++) {
          const length = y[j] as number;
          dx[i] = length === 0 ? 0 : (x[i] as number) * f((dy[j] as number) / length);
        }
      }
    }
  },
  lower(types) {
    const { shape } = at(types.inputs, 1);
    const { outer, n, inner } = extent(shape, types.attrs);
    return [dense('reduce/norm-grad', types, [outer, n, inner], grid(elements(shape)))];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape),
};
