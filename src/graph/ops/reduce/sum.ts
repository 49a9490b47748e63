/**
 * Sum over all elements or over attr `dim` (a number or a list), as torch.sum; with attr `mean`, divided by the number
 * of terms, as torch.mean. Attr `keepdim` keeps the dimensions with size 1. A result without dimensions has shape [1]
 * here. Large sums, and several runs of dimensions, use partial sums, which are further outputs. The gradient
 * ('ops/sum-grad') repeats dy.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import type { Extent } from '../../dims';
import { grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { extentsOf, reducedShape } from './extent';
import { cpuSum, lowerSum, scratchTypes, sumSteps } from './sum-steps';

const stepsOf = (shape: Shape, attrs: Attrs) => sumSteps(extentsOf(shape, attrs));

const divisorOf = (shape: Shape, attrs: Attrs): number =>
  attrs.mean === true ? extentsOf(shape, attrs).reduce((count, { n }) => count * n, 1) : 1;

export const sum: OpDef = {
  name: 'ops/sum',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    return [{ shape: reducedShape(shape, attrs), dtype: 'f32' }, ...scratchTypes(stepsOf(shape, attrs))];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    const extents = [...extentsOf(shape, c.types.attrs)].reverse();
    let spread = dy;
    extents.forEach(({ outer, n, inner }, k) => {
      const last = k === extents.length - 1;
      const divisor = last ? divisorOf(shape, c.types.attrs) : 1;
      const attrs = { shape: last ? shape : [outer * n * inner], outer, n, inner, divisor };
      spread = at(c.emit('ops/sum-grad', [spread], attrs, last ? [0] : []), 0);
    });
    return [spread];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { shape } = at(inputTypes, 0);
    cpuSum(stepsOf(shape, attrs), at(inputs, 0), outputs, { divisor: divisorOf(shape, attrs) });
  },
  lower(types) {
    const { shape } = at(types.inputs, 0);
    return lowerSum(stepsOf(shape, types.attrs), { divisor: divisorOf(shape, types.attrs) });
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};

const extentIn = (attrs: Attrs): Extent => ({
  outer: Number(attrs.outer),
  n: Number(attrs.n),
  inner: Number(attrs.inner),
});

/**
 * Input dy [outer, inner]; output dx with the shape of attr `shape`, viewed as [outer, n, inner]: dy repeated over n
 * and, for a mean, divided.
 */
export const sumGrad: OpDef = {
  name: 'ops/sum-grad',
  infer: (_, attrs) => [{ shape: attrs.shape as Shape, dtype: 'f32' }],
  cpu({ inputs, outputs, attrs }) {
    const dy = at(inputs, 0);
    const dx = at(outputs, 0);
    const { outer, n, inner } = extentIn(attrs);
    const divisor = Number(attrs.divisor);
    let i = 0;
    for (let o = 0; o < outer; o++)
      for (let k = 0; k < n; k++) for (let j = 0; j < inner; j++) dx[i++] = (dy[o * inner + j] as number) / divisor;
  },
  lower(types) {
    const { outer, n, inner } = extentIn(types.attrs);
    const params = [outer, n, inner, { f32: Number(types.attrs.divisor) }];
    const count = outer * n * inner;
    const repeat = inner === 1 && n % 4 === 0;
    if (!repeat && inner % 4 !== 0)
      return [{ kind: 'dense', kernel: 'ops/sum-grad', bindings: [0, 1], params, workgroups: grid(count) }];
    const constants = { REPEAT: repeat ? 1 : 0 };
    const kernel = 'reduce/sum-grad-vec4';
    return [{ kind: 'dense', kernel, constants, bindings: [0, 1], params, workgroups: grid(count / 4) }];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};
