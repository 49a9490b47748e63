/**
 * y = x - max - log sum e^(x - max) over attr `dim` (default the last), as torch.log_softmax, and its gradient dx = dy
 * - e^y sum(dy).
 */
import { at } from '../../../base/invariant';
import type { OpDef } from '../../op';
import { unaryGradient } from '../../unary-gradient';
import { forEachRow, rowwise } from './rowwise';

const f = Math.fround;

export const logSoftmax: OpDef = rowwise({
  name: 'ops/log-softmax',
  flopsPerElement: 12,
  gradient: unaryGradient('ops/log-softmax-grad', 'output'),
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    forEachRow({ inputTypes, attrs }, (start, end, step) => {
      let max = Number.NEGATIVE_INFINITY;
      for (let i = start; i < end; i += step) if ((x[i] as number) > max) max = x[i] as number;
      let sum = 0;
      for (let i = start; i < end; i += step) sum = f(sum + f(Math.exp(f((x[i] as number) - max))));
      const logSum = f(Math.log(sum));
      for (let i = start; i < end; i += step) y[i] = f((x[i] as number) - max) - logSum;
    });
  },
});

export const logSoftmaxGrad: OpDef = rowwise({
  name: 'ops/log-softmax-grad',
  flopsPerElement: 10,
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    forEachRow({ inputTypes, attrs }, (start, end, step) => {
      let sum = 0;
      for (let i = start; i < end; i += step) sum = f(sum + (dy[i] as number));
      for (let i = start; i < end; i += step) dx[i] = (dy[i] as number) - f(f(Math.exp(y[i] as number)) * sum);
    });
  },
});
