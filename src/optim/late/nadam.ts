/**
 * `torch.optim.NAdam`: two additions to the parameter, by the gradient and by the first moment. Their factors are
 * scalars (scalars.ts). The second is torch 2's; torch 1.13 had another.
 */

import { isDecoupled } from '../../protocol/config/optimizer-kinds';
import { nadamFactors } from '../nadam-product';
import { optimizerOpDef, shrinkageOf, signOf, stateOf } from '../operands';
import { averages, kerasBetas, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const nadam = optimizerOpDef({
  name: 'optim/nadam',
  states: () => 2,
  kernel: () => 'optim/nadam',
  constants: (attrs) => ({ DECOUPLED: attrs['decoupled'] === true ? 1 : 0 }),
  flopsPerElement: () => 18,
  update(scalars, p, g, states, attrs) {
    const [
      ,
      ,
      beta1 = 0,
      oneMinus1 = 0,
      beta2 = 0,
      oneMinus2 = 0,
      gradientFactor = 0,
      momentFactor = 0,
      eps = 0,
      correction2 = 1,
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
      const denominator = f(f(Math.sqrt(f(v / correction2))) + eps);
      const half = f(value - f(f(gradientFactor * d) / denominator));
      p[i] = half - f(f(momentFactor * m) / denominator);
    }
  },
});

export const optimizer = optimizerRow({
  types: ['NAdam'],
  ops: [nadam],
  states: () => ['exp_avg', 'exp_avg_sq'],
  op: (o) => ['optim/nadam', { decoupled: isDecoupled(o) }],
  scalars: (o, step) => [...averages(step, o), ...nadamFactors(o, step), o.eps, 1 - o.beta2 ** step.t],
  kerasName: 'Nadam',
  keras: (o) =>
    o.momentumDecay === 0.004
      ? [...kerasBetas(o), ['epsilon', o.eps]]
      : { lacks: 'NAdam with another momentumDecay than 0.004', because: 'Its own is fixed.' },
});
