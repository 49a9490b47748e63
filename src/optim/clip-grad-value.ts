/**
 * `torch.nn.utils.clip_grad_value_(parameters, clip_value)`: every element of every gradient is brought into
 * [-clip_value, clip_value], in place. A NaN stays, infinity becomes clip_value. Each device does it with its own
 * gradients: nothing is sent.
 */
import { LockstepError } from '../base/errors';
import type { OpDef } from '../graph/op';
import { elements } from '../tensor/shape';

export const clipGradValue: OpDef = {
  name: 'optim/clip-grad-value',
  infer(inputs) {
    if (inputs.length === 0) throw new LockstepError('shape', 'clip_grad_value_: expected at least one gradient');
    return inputs;
  },
  cpu({ outputs, attrs }) {
    const most = Math.fround(Number(attrs['clipValue']));
    for (const gradient of outputs) {
      for (let i = 0; i < gradient.length; i++) gradient[i] = Math.min(Math.max(gradient[i] as number, -most), most);
    }
  },
  lower: ({ outputs, inputs, attrs }) => [
    {
      kind: 'segmented',
      kernel: 'optim/clip-grad-value',
      params: [{ f32: Number(attrs['clipValue']) }],
      segments: outputs.map((type, k) => ({
        at: [{ operand: inputs.length + k, offset: 0 }],
        length: elements(type.shape),
      })),
    },
  ],
  flops: ({ outputs }) => outputs.reduce((total, type) => total + elements(type.shape), 0),
};
