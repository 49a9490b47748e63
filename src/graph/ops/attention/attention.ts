/**
 * out = softmax(scale q k^T) v, as torch.nn.functional.scaled_dot_product_attention, fused: the scores are never stored
 * in memory. Inputs q [..., Tq, d], k and v [..., Tk, d]; attrs `scale` (1 / sqrt(d) by default) and `causal` (query i
 * reaches the keys 0 to i); outputs out [..., Tq, d] and lse [..., Tq], the log-sum-exp of each query's scores, from
 * which the gradient recomputes the scores. Called for queries and keys of different lengths; packed queries and keys
 * use attention/self-attention.
 */
import { at } from '../../../base/invariant';
import type { OpDef } from '../../op';
import { attend, attendBackward } from './attention-cpu';
import { backwardLaunches, forwardLaunch } from './attention-launches';
import { productSize, separateHeads } from './heads';

export const attention: OpDef = {
  name: 'attention/attention',
  infer(inputs, attrs) {
    separateHeads(inputs, attrs);
    const q = at(inputs, 0);
    return [q, { shape: q.shape.length > 2 ? q.shape.slice(0, -1) : [q.shape[0] ?? 1], dtype: 'f32' }];
  },
  gradient(c) {
    const dout = c.outputGrad(0);
    if (dout === undefined) return [];
    const operands = [c.input(0), c.input(1), c.input(2), c.output(0), c.output(1), dout];
    return c.emit('attention/attention-grad', operands, c.types.attrs, [0, 1, 2]).slice(0, 3);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [q, k, v] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
    attend(separateHeads(inputTypes, attrs), { q, k, v, out: at(outputs, 0), lse: at(outputs, 1) });
  },
  lower: (types) => forwardLaunch(separateHeads(types.inputs, types.attrs), { q: 0, k: 1, v: 2, out: 3, lse: 4 }),
  flops: (types) => 4 * productSize(separateHeads(types.inputs, types.attrs)),
};

/** Inputs q, k, v, out, lse, dout; outputs dq, dk, dv, and delta (row sums of dout out), which is scratch. */
export const attentionGrad: OpDef = {
  name: 'attention/attention-grad',
  infer: (inputs) => [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 4)],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [q, k, v] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
    const [out, dout] = [at(inputs, 3), at(inputs, 5)];
    const [dq, dk, dv, delta] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
    attendBackward(separateHeads(inputTypes, attrs), { q, k, v, out, dout }, { dq, dk, dv, delta });
  },
  lower: (types) =>
    backwardLaunches(separateHeads(types.inputs, types.attrs), {
      q: 0,
      k: 1,
      v: 2,
      out: 3,
      lse: 4,
      dout: 5,
      dq: 6,
      dk: 7,
      dv: 8,
      delta: 9,
    }),
  flops: (types) => 16 * productSize(separateHeads(types.inputs, types.attrs)),
};
