/**
 * attention/attention on packed operands: input qkv [B, T, 3 D], the output of one Linear, whose thirds are queries,
 * keys and values with head h in columns h d to h d + d (D = heads d; as torch's in_proj of nn.MultiheadAttention);
 * attrs `heads`, `scale`, `causal`; outputs out [B, T, D] and lse [B, heads, T]. Nothing is transposed or copied.
 */
import { at } from '../../../base/invariant';
import type { OpDef } from '../../op';
import { attend, attendBackward } from './attention-cpu';
import { backwardLaunches, forwardLaunch } from './attention-launches';
import { packedHeads, productSize } from './heads';

export const selfAttention: OpDef = {
  name: 'attention/self-attention',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    const { batch, heads, queries, headDim } = packedHeads(shape, attrs);
    return [
      { shape: [...shape.slice(0, -1), heads * headDim], dtype: 'f32' },
      { shape: [batch, heads, queries], dtype: 'f32' },
    ];
  },
  gradient(c) {
    const dout = c.outputGrad(0);
    if (dout === undefined) return [];
    const operands = [c.input(0), c.output(0), c.output(1), dout];
    return c.emit('attention/self-attention-grad', operands, c.types.attrs, [0]).slice(0, 1);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const qkv = at(inputs, 0);
    const tensors = { q: qkv, k: qkv, v: qkv, out: at(outputs, 0), lse: at(outputs, 1) };
    attend(packedHeads(at(inputTypes, 0).shape, attrs), tensors);
  },
  lower: (types) =>
    forwardLaunch(packedHeads(at(types.inputs, 0).shape, types.attrs), { q: 0, k: 0, v: 0, out: 1, lse: 2 }),
  flops: (types) => 4 * productSize(packedHeads(at(types.inputs, 0).shape, types.attrs)),
};

/**
 * Inputs qkv, out, lse, dout; outputs dqkv, one launch per third, and delta (row sums of dout out), which is scratch.
 */
export const selfAttentionGrad: OpDef = {
  name: 'attention/self-attention-grad',
  infer: (inputs) => [at(inputs, 0), at(inputs, 2)],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [qkv, out, dout] = [at(inputs, 0), at(inputs, 1), at(inputs, 3)];
    const [dqkv, delta] = [at(outputs, 0), at(outputs, 1)];
    const heads = packedHeads(at(inputTypes, 0).shape, attrs);
    attendBackward(heads, { q: qkv, k: qkv, v: qkv, out, dout }, { dq: dqkv, dk: dqkv, dv: dqkv, delta });
  },
  lower: (types) =>
    backwardLaunches(packedHeads(at(types.inputs, 0).shape, types.attrs), {
      q: 0,
      k: 0,
      v: 0,
      out: 1,
      lse: 2,
      dout: 3,
      dq: 4,
      dk: 4,
      dv: 4,
      delta: 5,
    }),
  flops: (types) => 16 * productSize(packedHeads(at(types.inputs, 0).shape, types.attrs)),
};
