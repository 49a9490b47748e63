/**
 * `torch.optim.RAdam`: Adam with a rectified adaptive rate, used once its variance can be estimated; before that, only
 * momentum.
 */

import { isDecoupled } from '../../protocol/config/optimizer-kinds';
import { optimizerOpDef, shrinkageOf, signOf, stateOf } from '../operands';
import { averages, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const radam = optimizerOpDef({
  name: 'optim/radam',
  states: () => 2,
  kernel: () => 'optim/radam',
  constants: (attrs) => ({ DECOUPLED: attrs['decoupled'] === true ? 1 : 0 }),
  flopsPerElement: () => 16,
  update(scalars, p, g, states, attrs) {
    const [
      lr = 0,
      ,
      beta1 = 0,
      oneMinus1 = 0,
      beta2 = 0,
      oneMinus2 = 0,
      correction1 = 1,
      root2 = 1,
      eps = 0,
      rectification = 0,
    ] = scalars;
    const { shrink, coupled } = shrinkageOf(scalars, attrs);
    const sign = signOf(scalars);
    const expAvg = stateOf(states, 0);
    const expAvgSq = stateOf(states, 1);
    for (let i = 0; i < p.length; i++) {
      const value = f((p[i] as number) * shrink);
      const d = f(sign * (g[i] as number) + coupled * value);
      const m = f(f(beta1 * (expAvg[i] as number)) + oneMinus1 * d);
      const v = f(f(beta2 * (expAvgSq[i] as number)) + f(oneMinus2 * d) * d);
      expAvg[i] = m;
      expAvgSq[i] = v;
      const step = f(f(m / correction1) * lr);
      // torch divides a number by a tensor: the reciprocal times the number.
      const adaptive = f(f(1 / f(f(Math.sqrt(v)) + eps)) * root2);
      p[i] = value - (rectification === 0 ? step : f(f(step * adaptive) * rectification));
    }
  },
});

/** sqrt of the variance rectification term; 0 while the approximated length of the moving average is at most 5. */
function rectification(beta2: number, t: number): number {
  const most = 2 / (1 - beta2) - 1;
  const length = most - (2 * t * beta2 ** t) / (1 - beta2 ** t);
  if (length <= 5) return 0;
  return Math.sqrt(((length - 4) * (length - 2) * most) / ((most - 4) * (most - 2) * length));
}

export const optimizer = optimizerRow({
  types: ['RAdam'],
  ops: [radam],
  states: () => ['exp_avg', 'exp_avg_sq'],
  op: (o) => ['optim/radam', { decoupled: isDecoupled(o) }],
  scalars: (o, step) => {
    const { beta2, eps } = o;
    const { momentum, t } = step;
    const root = Math.sqrt(1 - beta2 ** t);
    return [...averages(step, o), 1 - momentum ** t, root, eps, rectification(beta2, t)];
  },
});
