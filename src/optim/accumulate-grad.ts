/**
 * `.grad += fresh` over all parameters of a device, as autograd's AccumulateGrad does in every backward() after the
 * first: own value first. Inputs: n fresh gradients, then the n accumulated ones; outputs: the accumulated ones, in
 * place. One dispatch of the kernel that also adds what a transfer brings. Used by Programs of gradient accumulation.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { OpDef } from '../graph/op';
import { elements, formatShape, sameShape } from '../tensor/shape';

const NAME = 'optim/accumulate-grad';

export const accumulateGrad: OpDef = {
  name: NAME,
  infer(inputs, attrs) {
    const n = Number(attrs['count']);
    if (!Number.isInteger(n) || n < 1 || inputs.length !== 2 * n) {
      throw new LockstepError('shape', `${NAME}: ${inputs.length} operands for ${n} gradients, expected ${2 * n}`);
    }
    const accumulated = inputs.slice(n);
    for (const [k, type] of accumulated.entries()) {
      const fresh = at(inputs, k);
      if (sameShape(fresh.shape, type.shape)) continue;
      throw new LockstepError(
        'shape',
        `${NAME}: assigned grad has data of a different size: ${formatShape(fresh.shape)} onto ${formatShape(type.shape)}`,
      );
    }
    return accumulated;
  },
  cpu({ inputs, outputs }) {
    for (const [k, sum] of outputs.entries()) {
      const fresh = at(inputs, k);
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (fresh[i] as number);
    }
  },
  lower: ({ inputs, outputs }) => [
    {
      kind: 'segmented',
      kernel: 'comm/transfer',
      constants: { JOIN: 1 },
      params: [],
      segments: outputs.map((type, k) => ({
        at: [
          { operand: k, offset: 0 },
          { operand: inputs.length + k, offset: 0 },
        ],
        length: elements(type.shape),
      })),
    },
  ],
  flops: ({ outputs }) => outputs.reduce((sum, type) => sum + elements(type.shape), 0),
};
