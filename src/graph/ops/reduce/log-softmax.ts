/** y = x - max - log sum e^(x - max) over the last dimension, as torch.log_softmax(x, -1), and its gradient dx = dy - e^y sum(dy). */
import { at } from '../../../base/invariant';
import { unaryGradient } from '../../elementwise';
import { lastOf } from '../../launch';
import type { OpDef } from '../../op';
import { rowwise } from '../../rowwise';

const f = Math.fround;

export const logSoftmax: OpDef = rowwise({
  name: 'ops/log-softmax',
  flopsPerElement: 12,
  gradient: unaryGradient('ops/log-softmax-grad', 'output'),
  cpu({ inputs, outputs, inputTypes }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    const classes = lastOf(at(inputTypes, 0).shape);
    for (let start = 0; start < x.length; start += classes) {
      const end = start + classes;
      let max = Number.NEGATIVE_INFINITY;
      for (let i = start; i < end; i++) if ((x[i] as number) > max) max = x[i] as number;
      let sum = 0;
      for (let i = start; i < end; i++) sum = f(sum + f(Math.exp(f((x[i] as number) - max))));
      const logSum = f(Math.log(sum));
      for (let i = start; i < end; i++) y[i] = f((x[i] as number) - max) - logSum;
    }
  },
});

export const logSoftmaxGrad: OpDef = rowwise({
  name: 'ops/log-softmax-grad',
  flopsPerElement: 10,
  cpu({ inputs, outputs, inputTypes }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    const classes = lastOf(at(inputTypes, 0).shape);
    for (let start = 0; start < dy.length; start += classes) {
      const end = start + classes;
      let sum = 0;
      for (let i = start; i < end; i++) sum = f(sum + (dy[i] as number));
      for (let i = start; i < end; i++) dx[i] = (dy[i] as number) - f(f(Math.exp(y[i] as number)) * sum);
    }
  },
});
