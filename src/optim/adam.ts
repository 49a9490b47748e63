/**
 * `torch.optim.Adam` and `AdamW` (attribute `decoupled`), with `amsgrad` using the largest second moment so far.
 * Single-tensor form; eps is added after the division by the root of the bias correction.
 */
import { isDecoupled } from '../protocol/config/optimizer-kinds';
import { optimizerOpDef, shrinkageOf, signOf, stateOf } from './operands';
import { averages, kerasBetas, optimizerRow } from './optimizer-row';

const f = Math.fround;

const adam = optimizerOpDef({
  name: 'optim/adam',
  states: (attrs) => (attrs['amsgrad'] === true ? 3 : 2),
  kernel: (attrs) => (attrs['amsgrad'] === true ? 'optim/adam-amsgrad' : 'optim/adam'),
  constants: (attrs) => ({ DECOUPLED: attrs['decoupled'] === true ? 1 : 0 }),
  flopsPerElement: (attrs) => (attrs['amsgrad'] === true ? 16 : 15),
  update(scalars, p, g, states, attrs) {
    const [, , beta1 = 0, oneMinus1 = 0, beta2 = 0, oneMinus2 = 0, stepSize = 0, root2 = 1, eps = 0] = scalars;
    const { shrink, coupled } = shrinkageOf(scalars, attrs);
    const sign = signOf(scalars);
    const expAvg = stateOf(states, 0);
    const expAvgSq = stateOf(states, 1);
    const largest = states[2];
    for (let i = 0; i < p.length; i++) {
      const value = f((p[i] as number) * shrink);
      const d = f(sign * (g[i] as number) + coupled * value);
      const m = f(f(beta1 * (expAvg[i] as number)) + oneMinus1 * d);
      let v = f(f(beta2 * (expAvgSq[i] as number)) + f(oneMinus2 * d) * d);
      expAvg[i] = m;
      expAvgSq[i] = v;
      // Math.max keeps a NaN, as torch.maximum does.
      if (largest) {
        v = Math.max(largest[i] as number, v);
        largest[i] = v;
      }
      const denominator = f(f(f(Math.sqrt(v)) / root2) + eps);
      p[i] = value - f(f(stepSize * m) / denominator);
    }
  },
});

export const adamRow = optimizerRow({
  types: ['Adam', 'AdamW'],
  ops: [adam],
  states: ({ amsgrad }) => ['exp_avg', 'exp_avg_sq', ...(amsgrad ? ['max_exp_avg_sq'] : [])],
  op: (o) => ['optim/adam', { decoupled: isDecoupled(o), amsgrad: o.amsgrad }],
  scalars: (o, step) => {
    const stepSize = step.lr / (1 - step.momentum ** step.t);
    return [...averages(step, o), stepSize, Math.sqrt(1 - o.beta2 ** step.t), o.eps];
  },
  keras: (o) => [...kerasBetas(o), ['epsilon', o.eps], ['amsgrad', o.amsgrad, false]],
});
