/**
 * `torch.optim.Adagrad`. The state `sum` starts at `initial_accumulator_value`; the decayed rate of the step is a
 * scalar.
 */
import { optimizerOpDef, signOf, stateOf } from './operands';

const f = Math.fround;

export const adagrad = optimizerOpDef({
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
