/** y = tanh(x), as torch.tanh, and its gradient dx = dy * (1 - y * y). */
import { at } from '../../../base/invariant';
import { elementwise, unaryGradient } from '../../elementwise';
import type { OpDef } from '../../op';

const f = Math.fround;

export const tanh: OpDef = elementwise({
  name: 'ops/tanh',
  flopsPerElement: 8,
  gradient: unaryGradient('ops/tanh-grad', 'output'),
  cpu({ inputs, outputs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    for (let i = 0; i < y.length; i++) y[i] = Math.tanh(x[i] as number);
  },
});

export const tanhGrad: OpDef = elementwise({
  name: 'ops/tanh-grad',
  flopsPerElement: 3,
  cpu({ inputs, outputs }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    for (let i = 0; i < dx.length; i++) {
      const v = y[i] as number;
      dx[i] = (dy[i] as number) * f(1 - f(v * v));
    }
  },
});
