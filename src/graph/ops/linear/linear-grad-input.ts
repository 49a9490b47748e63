/** dx = dy W: the gradient of a linear layer's input. Inputs dy [..., O] and W [O, I]; output dx [..., I]. */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { Product } from '../../gemm';
import { dense, grid, lastOf, rowsOf } from '../../launch';
import type { CpuArgs, OpDef, OpTypes } from '../../op';
import { tiledProduct } from '../../tiled-product';

function sizesOf(types: Pick<OpTypes, 'inputs'>) {
  const dy = at(types.inputs, 0).shape;
  return { rows: rowsOf(dy), outFeatures: lastOf(dy), inFeatures: lastOf(at(types.inputs, 1).shape) };
}

function productOf({ inputs, outputs, inputTypes }: CpuArgs): Product {
  const { rows, inFeatures, outFeatures } = sizesOf({ inputs: inputTypes });
  return {
    M: rows,
    N: inFeatures,
    K: outFeatures,
    a: { data: at(inputs, 0), offset: 0, strides: [outFeatures, 1] },
    b: { data: at(inputs, 1), offset: 0, strides: [inFeatures, 1] },
    c: { data: at(outputs, 0), offset: 0 },
    add: false,
  };
}

export const linearGradInput: OpDef = {
  name: 'ops/linear-grad-input',
  infer(inputs) {
    const dy = at(inputs, 0).shape;
    return [{ shape: [...dy.slice(0, -1), lastOf(at(inputs, 1).shape)], dtype: 'f32' }];
  },
  cpu: (args) => args.scratch.product(args.scratch.plan(args, productOf)),
  lower(types, tuning) {
    const { rows, inFeatures, outFeatures } = sizesOf(types);
    const steps = [outFeatures, 1, inFeatures, 1] as const;
    const tiled = tiledProduct({ m: rows, n: inFeatures, k: outFeatures, steps, a: 0, b: 1, c: 2 }, tuning);
    if (tiled) return [tiled];
    const invocations = rows * Math.ceil(inFeatures / 4);
    const launch = dense('ops/linear-grad-input', types, [rows, inFeatures, outFeatures], grid(invocations, 32));
    return [{ ...launch, invocations }];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape) * sizesOf(types).outFeatures,
};
