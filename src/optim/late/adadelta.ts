/**
 * `torch.optim.Adadelta`: the step is the gradient times the ratio of two running root mean squares, of past steps and
 * of gradients.
 */
import { optimizerOpDef, signOf, stateOf } from '../operands';
import { NO_ATTRS, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const adadelta = optimizerOpDef({
  name: 'optim/adadelta',
  states: () => 2,
  kernel: () => 'optim/adadelta',
  flopsPerElement: () => 18,
  update(scalars, p, g, states) {
    const [lr = 0, weightDecay = 0, rho = 0, oneMinusRho = 0, eps = 0] = scalars;
    const sign = signOf(scalars);
    const squareAvg = stateOf(states, 0);
    const accDelta = stateOf(states, 1);
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = f(sign * (g[i] as number) + weightDecay * value);
      const square = f(f(rho * (squareAvg[i] as number)) + f(oneMinusRho * d) * d);
      squareAvg[i] = square;
      const deviation = f(Math.sqrt(f(square + eps)));
      const past = accDelta[i] as number;
      const delta = f(f(f(Math.sqrt(f(past + eps))) / deviation) * d);
      accDelta[i] = f(f(rho * past) + f(oneMinusRho * delta) * delta);
      p[i] = value - lr * delta;
    }
  },
});

export const optimizer = optimizerRow({
  types: ['Adadelta'],
  ops: [adadelta],
  states: () => ['square_avg', 'acc_delta'],
  op: () => ['optim/adadelta', NO_ATTRS],
  scalars: ({ rho, eps }) => [rho, 1 - rho, eps],
  keras: (o) => [
    ['rho', o.rho],
    ['epsilon', o.eps],
  ],
});
