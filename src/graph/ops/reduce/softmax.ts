/** y = e^(x - max) / sum over the last dimension, as torch.softmax(x, -1), and its gradient dx = (dy - sum(dy y)) y. */
import { at } from '../../../base/invariant';
import { unaryGradient } from '../../elementwise';
import { lastOf } from '../../launch';
import type { OpDef } from '../../op';
import { rowwise } from '../../rowwise';

const f = Math.fround;

export const softmax: OpDef = rowwise({
  name: 'ops/softmax',
  flopsPerElement: 12,
  gradient: unaryGradient('ops/softmax-grad', 'output'),
  cpu({ inputs, outputs, inputTypes }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    const classes = lastOf(at(inputTypes, 0).shape);
    for (let start = 0; start < x.length; start += classes) {
      const end = start + classes;
      let max = Number.NEGATIVE_INFINITY;
      for (let i = start; i < end; i++) if ((x[i] as number) > max) max = x[i] as number;
      let sum = 0;
      for (let i = start; i < end; i++) {
        const e = f(Math.exp(f((x[i] as number) - max)));
        y[i] = e;
        sum = f(sum + e);
      }
      for (let i = start; i < end; i++) y[i] = (y[i] as number) / sum;
    }
  },
});

export const softmaxGrad: OpDef = rowwise({
  name: 'ops/softmax-grad',
  flopsPerElement: 4,
  cpu({ inputs, outputs, inputTypes }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    const classes = lastOf(at(inputTypes, 0).shape);
    for (let start = 0; start < dy.length; start += classes) {
      const end = start + classes;
      let sum = 0;
      for (let i = start; i < end; i++) sum = f(sum + f((dy[i] as number) * (y[i] as number)));
      for (let i = start; i < end; i++) dx[i] = f((dy[i] as number) - sum) * (y[i] as number);
    }
  },
});
