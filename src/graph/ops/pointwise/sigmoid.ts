/** y = 1 / (1 + e^-x), as torch.sigmoid, and its gradient dx = dy (1 - y) y. */
import { at } from '../../../base/invariant';
import { elementwise, unaryGradient } from '../../elementwise';
import type { OpDef } from '../../op';

const f = Math.fround;

export const sigmoid: OpDef = elementwise({
  name: 'ops/sigmoid',
  flopsPerElement: 6,
  gradient: unaryGradient('ops/sigmoid-grad', 'output'),
  cpu({ inputs, outputs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    for (let i = 0; i < y.length; i++) y[i] = 1 / f(1 + f(Math.exp(-(x[i] as number))));
  },
});

export const sigmoidGrad: OpDef = elementwise({
  name: 'ops/sigmoid-grad',
  flopsPerElement: 3,
  cpu({ inputs, outputs }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    for (let i = 0; i < dx.length; i++) {
      const v = y[i] as number;
      dx[i] = f((dy[i] as number) * f(1 - v)) * v;
    }
  },
});
