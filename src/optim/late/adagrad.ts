/**
 * `torch.optim.Adagrad`. The state `sum` starts at `initial_accumulator_value`; the decayed rate of the step is a
 * scalar.
 */
import { optimizerOpDef, signOf, stateOf } from '../operands';
import { NO_ATTRS, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const adagrad = optimizerOpDef({
  name: 'optim/adagrad',
  states: () => 1,
  kernel: () => 'optim/adagrad',
  flopsPerElement: () => 9,
  update(scalars, p, g, states) {
    const [, weightDecay = 0, stepSize = 0, eps = 0] = scalars;
    const sign = signOf(scalars);
    const sums = stateOf(states, 0);
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = f(sign * (g[i] as number) + weightDecay * value);
      const sum = f((sums[i] as number) + d * d);
      sums[i] = sum;
      p[i] = value - f(f(stepSize * d) / f(f(Math.sqrt(sum)) + eps));
    }
  },
});

export const optimizer = optimizerRow({
  types: ['Adagrad'],
  ops: [adagrad],
  states: () => ['sum'],
  fill: ({ initialAccumulatorValue }) => initialAccumulatorValue,
  op: () => ['optim/adagrad', NO_ATTRS],
  scalars: ({ lrDecay, eps }, { lr, t }) => [lr / (1 + (t - 1) * lrDecay), eps],
  keras: (o) =>
    o.lrDecay === 0
      ? [
          ['initial_accumulator_value', o.initialAccumulatorValue],
          ['epsilon', o.eps],
        ]
      : { lacks: 'Adagrad with lrDecay', because: 'A schedule of the rate can do it.' },
});
