/**
 * y = e^(x - max) / sum over attr `dim` (default the last), as torch.softmax, and its gradient dx = (dy - sum(dy y)) y.
 */
import { at } from '../../../base/invariant';
import type { OpDef } from '../../op';
import { unaryGradient } from '../../unary-gradient';
import { forEachRow, rowwise } from './rowwise';

const f = Math.fround;

export const softmax: OpDef = rowwise({
  name: 'ops/softmax',
  flopsPerElement: 12,
  gradient: unaryGradient('ops/softmax-grad', 'output'),
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    forEachRow({ inputTypes, attrs }, (start, end, step) => {
      let max = Number.NEGATIVE_INFINITY;
      for (let i = start; i < end; i += step) if ((x[i] as number) > max) max = x[i] as number;
      let sum = 0;
      for (let i = start; i < end; i += step) {
        const e = f(Math.exp(f((x[i] as number) - max)));
        y[i] = e;
        sum = f(sum + e);
      }
      for (let i = start; i < end; i += step) y[i] = (y[i] as number) / sum;
    });
  },
});

export const softmaxGrad: OpDef = rowwise({
  name: 'ops/softmax-grad',
  flopsPerElement: 4,
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    forEachRow({ inputTypes, attrs }, (start, end, step) => {
      let sum = 0;
      for (let i = start; i < end; i += step) sum = f(sum + f((dy[i] as number) * (y[i] as number)));
      for (let i = start; i < end; i += step) dx[i] = f((dy[i] as number) - sum) * (y[i] as number);
    });
  },
});
