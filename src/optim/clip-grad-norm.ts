/**
 * The second half of `torch.nn.utils.clip_grad_norm_(parameters, max_norm)`: every gradient times max_norm / (total +
 * 1e-6), at most 1. Inputs: the total norm [1] (made by optim/grad-norm), then the gradients; outputs: the gradients,
 * in place. As in torch, they are multiplied even by 1, and a norm that is not finite is not an error. Attribute `half:
 * 'bf16'`: the factor is computed in bfloat16.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { Attrs, OpDef } from '../graph/op';
import { elements } from '../tensor/shape';
import { roundedFor } from './grad-norm';

const f = Math.fround;
const maxNormOf = (attrs: Attrs): number => Number(attrs['maxNorm']);

/** What every gradient is multiplied by. A number over a tensor: torch multiplies by the reciprocal. */
export function clipFactor(norm: number, attrs: Attrs): number {
  const rounded = roundedFor(attrs);
  const wanted = rounded(f(maxNormOf(attrs)) * rounded(1 / rounded(norm + f(1e-6))));
  return wanted > 1 ? 1 : wanted;
}

export const clipGradNorm: OpDef = {
  name: 'optim/clip-grad-norm',
  infer(inputs) {
    if (inputs.length < 2)
      throw new LockstepError('shape', 'clip_grad_norm_: expected a norm and at least one gradient');
    return inputs.slice(1);
  },
  cpu({ inputs, outputs, attrs }) {
    const factor = clipFactor(at(at(inputs, 0), 0), attrs);
    for (const gradient of outputs) {
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * factor;
    }
  },
  lower: ({ inputs, outputs, attrs }) => [
    {
      kind: 'segmented',
      kernel: attrs.half ? 'precision/clip-grad-norm' : 'optim/clip-grad-norm',
      params: [{ f32: maxNormOf(attrs) }],
      segments: outputs.map((type, k) => ({
        at: [
          { operand: 0, offset: 0, fixed: true },
          { operand: inputs.length + k, offset: 0 },
        ],
        length: elements(type.shape),
      })),
    },
  ],
  flops: ({ outputs }) => outputs.reduce((total, type) => total + elements(type.shape), 0),
};
