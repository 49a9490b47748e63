/**
 * dW = dy^T x and db = column sums of dy: the gradients of a linear layer's parameters. Inputs x [..., I] and dy [...,
 * O]; outputs dW [O, I] and, with attr `bias`, db [O]. Both are sums over the batch in row order. For small layers one
 * dispatch writes both; larger layers use a tiled product and column sums, with partial sums (further outputs) if the
 * batch is large.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { Product } from '../../gemm';
import { dense, grid, lastOf, rowsOf } from '../../launch';
import type { CpuArgs, OpDef, OpTypes } from '../../op';
import { tiledProduct, tilesPay } from '../../tiled-product';
import { cpuSum, lowerSum, type SumStep, scratchTypes, sumSteps } from '../reduce/sum-steps';

function sizesOf(types: Pick<OpTypes, 'inputs'>) {
  const x = at(types.inputs, 0).shape;
  return { rows: rowsOf(x), inFeatures: lastOf(x), outFeatures: lastOf(at(types.inputs, 1).shape) };
}

/** How db is summed beside a tiled product; undefined if the small kernel writes both. */
function biasSteps(types: Pick<OpTypes, 'inputs' | 'attrs'>): readonly SumStep[] | undefined {
  const { rows, inFeatures, outFeatures } = sizesOf(types);
  if (types.attrs.bias !== true || !tilesPay(outFeatures, inFeatures, rows)) return undefined;
  return sumSteps([{ outer: 1, n: rows, inner: outFeatures }]);
}

/** The plan of the CPU kernel: a product, and the sums of dy's columns. */
export function linearGradParamsPlan({ inputs, outputs, inputTypes, attrs }: CpuArgs) {
  const { rows, inFeatures, outFeatures } = sizesOf({ inputs: inputTypes });
  const product: Product = {
    M: outFeatures,
    N: inFeatures,
    K: rows,
    a: { data: at(inputs, 1), offset: 0, strides: [1, outFeatures] },
    b: { data: at(inputs, 0), offset: 0, strides: [inFeatures, 1] },
    c: { data: at(outputs, 0), offset: 0 },
    add: false,
  };
  const sums = biasSteps({ inputs: inputTypes, attrs }) ?? [
    { outer: 1, plane: rows * outFeatures, columns: outFeatures },
  ];
  return { product, sums, biasGradient: outputs.slice(1) };
}

export const linearGradParams: OpDef = {
  name: 'ops/linear-grad-params',
  infer(inputs, attrs) {
    const { inFeatures, outFeatures } = sizesOf({ inputs });
    const weight = { shape: [outFeatures, inFeatures], dtype: 'f32' } as const;
    const scratch = scratchTypes(biasSteps({ inputs, attrs }) ?? []);
    return attrs.bias === true ? [weight, { shape: [outFeatures], dtype: 'f32' }, ...scratch] : [weight];
  },
  cpu(args) {
    const { product, sums, biasGradient } = args.scratch.plan(args, linearGradParamsPlan);
    args.scratch.product(product);
    if (biasGradient.length > 0) cpuSum(sums, at(args.inputs, 1), biasGradient);
  },
  lower(types, tuning) {
    const { rows, inFeatures, outFeatures } = sizesOf(types);
    const params = [rows, inFeatures, outFeatures];
    const hasBias = types.outputs.length > 1;
    if (tilesPay(outFeatures, inFeatures, rows)) {
      const steps = [1, outFeatures, inFeatures, 1] as const;
      const tiled = tiledProduct({ m: outFeatures, n: inFeatures, k: rows, steps, a: 1, b: 0, c: 2 }, tuning);
      const product = tiled ?? {
        kind: 'dense',
        kernel: 'ops/linear-grad-weight',
        bindings: [0, 1, 2],
        params,
        workgroups: grid(outFeatures * inFeatures),
      };
      const sums = lowerSum(biasSteps(types) ?? [], {}, { x: 1, y: 3, scratch: 4 });
      return [product, ...sums];
    }
    if (!hasBias) return [dense('ops/linear-grad-weight', types, params, grid(outFeatures * inFeatures))];
    const invocations = outFeatures * Math.ceil(inFeatures / 4);
    return [{ ...dense('ops/linear-grad-params', types, params, grid(invocations, 32)), invocations }];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape) * sizesOf(types).rows,
};
