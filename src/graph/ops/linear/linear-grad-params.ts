/**
 * dW = dy^T x and db = column sums of dy: the gradients of a linear layer's parameters. Inputs x [..., I] and dy [..., O]; outputs dW [O, I] and, with attr
 * `bias`, db [O]. Both are sums over the batch in row order. One dispatch writes both for small layers; larger ones take a
 * tiled product and the column sums of 'ops/add-grad-row'.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { gemm } from '../../gemm';
import { dense, grid, lastOf, rowsOf } from '../../launch';
import type { OpDef, OpTypes } from '../../op';
import { tiledProduct, tilesPay } from '../../tiled-product';

function sizesOf(types: Pick<OpTypes, 'inputs'>) {
  const x = at(types.inputs, 0).shape;
  return { rows: rowsOf(x), inFeatures: lastOf(x), outFeatures: lastOf(at(types.inputs, 1).shape) };
}

function columnSums(dy: HostArray, db: HostArray, rows: number, columns: number): void {
  for (let o = 0; o < columns; o++) {
    let sum = 0;
    for (let r = 0; r < rows; r++) sum = Math.fround(sum + (dy[r * columns + o] as number));
    db[o] = sum;
  }
}

export const linearGradParams: OpDef = {
  name: 'ops/linear-grad-params',
  infer(inputs, attrs) {
    const { inFeatures, outFeatures } = sizesOf({ inputs });
    const weight = { shape: [outFeatures, inFeatures], dtype: 'f32' } as const;
    return attrs.bias === true ? [weight, { shape: [outFeatures], dtype: 'f32' }] : [weight];
  },
  cpu({ inputs, outputs, inputTypes }) {
    const { rows, inFeatures, outFeatures } = sizesOf({ inputs: inputTypes });
    const [x, dy, dw] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    gemm(outFeatures, inFeatures, rows, dy, 0, 1, outFeatures, x, 0, inFeatures, 1, dw, 0, false);
    const db = outputs[1];
    if (db) columnSums(dy, db, rows, outFeatures);
  },
  lower(types) {
    const { rows, inFeatures, outFeatures } = sizesOf(types);
    const params = [rows, inFeatures, outFeatures];
    const hasBias = types.outputs.length > 1;
    if (tilesPay(outFeatures, inFeatures, rows)) {
      const steps = [1, outFeatures, inFeatures, 1] as const;
      const product = tiledProduct({ m: outFeatures, n: inFeatures, k: rows, steps, a: 1, b: 0, c: 2 });
      const sums = {
        kind: 'dense',
        kernel: 'ops/add-grad-row',
        bindings: [1, 3],
        params: [rows, outFeatures],
        workgroups: grid(outFeatures),
      } as const;
      return hasBias ? [product, sums] : [product];
    }
    const invocations = outFeatures * (hasBias ? inFeatures + 1 : inFeatures);
    return [dense(hasBias ? 'ops/linear-grad-params' : 'ops/linear-grad-weight', types, params, grid(invocations))];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape) * sizesOf(types).rows,
};
