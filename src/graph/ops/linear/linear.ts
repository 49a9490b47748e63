/**
 * y = x W^T + b, as torch.nn.functional.linear: x [..., I], W [O, I], b [O] (optional). The attribute `activation`
 * (fused-activation.ts) is applied to the result; only the pass fuse-activation sets it, after differentiation, so such
 * a node has no gradient rule.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, sameShape } from '../../../tensor/shape';
import type { Product } from '../../gemm';
import { grid, lastOf, rowsOf } from '../../launch';
import type { CpuArgs, OpDef, OpTypes } from '../../op';
import { tiledProduct } from '../../tiled-product';
import { activationOf } from './fused-activation';

const f = Math.fround;

export function sizesOf(types: Pick<OpTypes, 'inputs'>) {
  const x = at(types.inputs, 0).shape;
  const w = at(types.inputs, 1).shape;
  return { rows: rowsOf(x), inFeatures: lastOf(x), outFeatures: w[0] ?? 0 };
}

function productOf({ inputs, outputs, inputTypes }: CpuArgs): Product {
  const { rows, inFeatures, outFeatures } = sizesOf({ inputs: inputTypes });
  return {
    M: rows,
    N: outFeatures,
    K: inFeatures,
    a: { data: at(inputs, 0), offset: 0, strides: [inFeatures, 1] },
    b: { data: at(inputs, 1), offset: 0, strides: [1, inFeatures] },
    c: { data: at(outputs, 0), offset: 0 },
    add: false,
    bias: inputs[2],
  };
}

export const linear: OpDef = {
  name: 'ops/linear',
  infer(inputs) {
    const x = at(inputs, 0).shape;
    const w = at(inputs, 1).shape;
    const [outFeatures = 0, inFeatures = 0] = w;
    if (w.length !== 2 || lastOf(x) !== inFeatures) {
      throw new LockstepError(
        'shape',
        `mat1 and mat2 shapes cannot be multiplied (${rowsOf(x)}x${lastOf(x)} and ${inFeatures}x${outFeatures})`,
        'The input of a Linear layer must have as many columns as its in_features.',
      );
    }
    const b = inputs[2]?.shape;
    if (b && !sameShape(b, [outFeatures])) {
      throw new LockstepError(
        'shape',
        `the bias of a Linear layer must have shape [${outFeatures}], not ${formatShape(b)}`,
      );
    }
    return [{ shape: [...x.slice(0, -1), outFeatures], dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    if (activationOf(c.types.attrs) !== 0)
      throw new LockstepError('internal', 'a fused linear layer has no gradient rule');
    const hasBias = c.types.inputs.length > 2;
    // Parameter gradients first, so that DDP's buckets get ready before the input gradient is computed.
    const params =
      c.needsGrad(1) || (hasBias && c.needsGrad(2))
        ? c.emit('ops/linear-grad-params', [c.input(0), dy], { bias: hasBias }, hasBias ? [1, 2] : [1])
        : [];
    const dx = c.needsGrad(0) ? c.emit('ops/linear-grad-input', [dy, c.input(1)], {}, [0])[0] : undefined;
    return [dx, params[0], params[1]];
  },
  cpu(args) {
    const { attrs, outputs, scratch } = args;
    scratch.product(scratch.plan(args, productOf));
    const y = at(outputs, 0);
    const activation = activationOf(attrs);
    if (activation === 0) return;
    for (let i = 0; i < y.length; i++) {
      const v = at(y, i);
      y[i] = activation === 1 ? (v <= 0 ? 0 : v) : activation === 2 ? Math.tanh(v) : 1 / f(1 + f(Math.exp(-v)));
    }
  },
  lower(types, tuning) {
    const { rows, inFeatures, outFeatures } = sizesOf(types);
    const hasBias = types.inputs.length > 2;
    const steps = [inFeatures, 1, 1, inFeatures] as const;
    const operands = hasBias ? { a: 0, b: 1, bias: 2, c: 3 } : { a: 0, b: 1, c: 2 };
    const activation = activationOf(types.attrs);
    const tiled = tiledProduct({ m: rows, n: outFeatures, k: inFeatures, steps, ...operands, activation }, tuning);
    if (tiled) return [tiled];
    // An invocation computes 2 x 2 elements, and a workgroup has 32 invocations.
    const invocations = Math.ceil(rows / 2) * Math.ceil(outFeatures / 2);
    return [
      {
        kind: 'dense',
        kernel: 'ops/linear',
        constants: { HAS_BIAS: hasBias ? 1 : 0, ACTIVATION: activation },
        // Without a bias, the bias binding gets the weight, which the kernel then ignores.
        bindings: hasBias ? [0, 1, 2, 3] : [0, 1, 1, 2],
        params: [rows, inFeatures, outFeatures],
        workgroups: grid(invocations, 32),
        invocations,
      },
    ];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape) * sizesOf(types).inFeatures,
};
