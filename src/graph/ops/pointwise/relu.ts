/** y = max(x, 0), as torch.relu, and its gradient dx = dy where y > 0, else 0 (0 at 0). NaN passes through both. */
import { at } from '../../../base/invariant';
import { elementwise, unaryGradient } from '../../elementwise';
import type { OpDef } from '../../op';

export const relu: OpDef = elementwise({
  name: 'ops/relu',
  flopsPerElement: 1,
  gradient: unaryGradient('ops/relu-grad', 'output'),
  cpu({ inputs, outputs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    for (let i = 0; i < y.length; i++) {
      const v = x[i] as number;
      y[i] = v <= 0 ? 0 : v;
    }
  },
});

export const reluGrad: OpDef = elementwise({
  name: 'ops/relu-grad',
  flopsPerElement: 1,
  cpu({ inputs, outputs }) {
    const dy = at(inputs, 0);
    const y = at(inputs, 1);
    const dx = at(outputs, 0);
    for (let i = 0; i < dx.length; i++) dx[i] = (y[i] as number) <= 0 ? 0 : (dy[i] as number);
  },
});
