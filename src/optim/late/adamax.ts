/** `torch.optim.Adamax`: Adam with the decayed largest gradient in place of the second moment. */
import { optimizerOpDef, signOf, stateOf } from '../operands';
import { kerasBetas, NO_ATTRS, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const adamax = optimizerOpDef({
  name: 'optim/adamax',
  states: () => 2,
  kernel: () => 'optim/adamax',
  flopsPerElement: () => 12,
  update(scalars, p, g, states) {
    const [, weightDecay = 0, beta1 = 0, oneMinus1 = 0, beta2 = 0, stepSize = 0, eps = 0] = scalars;
    const sign = signOf(scalars);
    const expAvg = stateOf(states, 0);
    const expInf = stateOf(states, 1);
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = f(sign * (g[i] as number) + weightDecay * value);
      const m = f(f(beta1 * (expAvg[i] as number)) + oneMinus1 * d);
      // Math.max keeps a NaN, as torch.amax does.
      const largest = Math.max(f(beta2 * (expInf[i] as number)), f(Math.abs(d) + eps));
      expAvg[i] = m;
      expInf[i] = largest;
      p[i] = value - f(f(stepSize * m) / largest);
    }
  },
});

export const optimizer = optimizerRow({
  types: ['Adamax'],
  ops: [adamax],
  states: () => ['exp_avg', 'exp_inf'],
  op: () => ['optim/adamax', NO_ATTRS],
  scalars: ({ beta2, eps }, { lr, momentum, t }) => [momentum, 1 - momentum, beta2, lr / (1 - momentum ** t), eps],
  keras: (o) => [...kerasBetas(o), ['epsilon', o.eps]],
});
