/**
 * Sum over all elements or over attr `dim`, as torch.sum; with attr `mean`, divided by how many were summed, as torch.mean. Attr `keepdim` keeps the
 * dimension with size 1. A result without dimensions has shape [1] here. Sums run in index order in one accumulator. The gradient spreads dy
 * back ('ops/sum-grad').
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';

interface Extent {
  readonly dim: number | undefined;
  /** The summed dimension in a view [outer, n, inner]. */
  readonly outer: number;
  readonly n: number;
  readonly inner: number;
  readonly divisor: number;
}

function extentOf(shape: Shape, attrs: Attrs): Extent {
  const wanted = attrs.dim;
  if (typeof wanted !== 'number') {
    const n = elements(shape);
    return { dim: undefined, outer: 1, n, inner: 1, divisor: attrs.mean === true ? n : 1 };
  }
  const dim = wanted < 0 ? wanted + shape.length : wanted;
  const n = shape[dim];
  if (n === undefined) {
    const range = `expected to be in range of [${-shape.length}, ${shape.length - 1}], but got ${wanted}`;
    throw new LockstepError('shape', `Dimension out of range (${range})`);
  }
  const outer = elements(shape.slice(0, dim));
  return { dim, outer, n, inner: elements(shape.slice(dim + 1)), divisor: attrs.mean === true ? n : 1 };
}

export const sum: OpDef = {
  name: 'ops/sum',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    const { dim } = extentOf(shape, attrs);
    const kept = shape.map((size, i) => (dim === undefined || i === dim ? 1 : size));
    const left = attrs.keepdim === true ? kept : shape.filter((_, i) => dim !== undefined && i !== dim);
    return [{ shape: left.length === 0 ? [1] : left, dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    return c.emit('ops/sum-grad', [dy, c.input(0)], c.types.attrs, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    const { n, inner, divisor } = extentOf(at(inputTypes, 0).shape, attrs);
    for (let i = 0; i < y.length; i++) {
      let total = 0;
      let j = Math.floor(i / inner) * n * inner + (i % inner);
      for (let k = 0; k < n; k++, j += inner) total = Math.fround(total + (x[j] as number));
      y[i] = total / divisor;
    }
  },
  lower(types) {
    const { outer, n, inner, divisor } = extentOf(at(types.inputs, 0).shape, types.attrs);
    return [dense('ops/sum', types, [outer, n, inner, { f32: divisor }], grid(outer * inner))];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};

/** Inputs dy and x (for its shape alone); output dx: dy spread over the summed dimension, divided as the mean was. */
export const sumGrad: OpDef = {
  name: 'ops/sum-grad',
  infer: (inputs) => [{ shape: at(inputs, 1).shape, dtype: 'f32' }],
  cpu({ inputs, outputs, outputTypes, attrs }) {
    const dy = at(inputs, 0);
    const dx = at(outputs, 0);
    const { n, inner, divisor } = extentOf(at(outputTypes, 0).shape, attrs);
    const plane = n * inner;
    for (let i = 0; i < dx.length; i++) dx[i] = (dy[Math.floor(i / plane) * inner + (i % inner)] as number) / divisor;
  },
  lower(types) {
    const { outer, n, inner, divisor } = extentOf(at(types.outputs, 0).shape, types.attrs);
    const params = [outer, n, inner, { f32: divisor }];
    const workgroups = grid(outer * n * inner);
    return [{ kind: 'dense', kernel: 'ops/sum-grad', bindings: [0, 2], params, workgroups }];
  },
  flops: (types) => elements(at(types.outputs, 0).shape),
};
