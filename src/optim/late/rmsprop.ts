/**
 * `torch.optim.RMSprop`, with momentum and with centering (attributes `momentum`, `centered`). States: square_avg, then
 * grad_avg, momentum_buffer.
 */
import { optimizerOpDef, signOf, stateOf } from '../operands';
import { MOMENTUM_BUFFER, optimizerRow } from '../optimizer-row';

const f = Math.fround;

const rmsprop = optimizerOpDef({
  name: 'optim/rmsprop',
  states: (attrs) => 1 + (attrs['centered'] === true ? 1 : 0) + (attrs['momentum'] === true ? 1 : 0),
  kernel(attrs) {
    if (attrs['centered'] === true)
      return attrs['momentum'] === true ? 'optim/rmsprop-centered-momentum' : 'optim/rmsprop-centered';
    return attrs['momentum'] === true ? 'optim/rmsprop-momentum' : 'optim/rmsprop';
  },
  flopsPerElement: (attrs) => 10 + (attrs['centered'] === true ? 5 : 0) + (attrs['momentum'] === true ? 2 : 0),
  update(scalars, p, g, states, attrs) {
    const [lr = 0, weightDecay = 0, alpha = 0, oneMinusAlpha = 0, momentum = 0, eps = 0] = scalars;
    const sign = signOf(scalars);
    const squareAvg = stateOf(states, 0);
    const gradAvg = attrs['centered'] === true ? stateOf(states, 1) : undefined;
    const buffer = attrs['momentum'] === true ? stateOf(states, gradAvg ? 2 : 1) : undefined;
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = f(sign * (g[i] as number) + weightDecay * value);
      const square = f(f(alpha * (squareAvg[i] as number)) + f(oneMinusAlpha * d) * d);
      squareAvg[i] = square;
      let spread = square;
      if (gradAvg) {
        const mean = f(f(alpha * (gradAvg[i] as number)) + oneMinusAlpha * d);
        gradAvg[i] = mean;
        spread = f(square - mean * mean);
      }
      const average = f(f(Math.sqrt(spread)) + eps);
      if (buffer) {
        const b = f(f(momentum * (buffer[i] as number)) + f(d / average));
        buffer[i] = b;
        p[i] = value - lr * b;
      } else {
        p[i] = value - f(f(lr * d) / average);
      }
    }
  },
});

export const optimizer = optimizerRow({
  types: ['RMSprop'],
  ops: [rmsprop],
  states: ({ centered }, hasMomentum) => [
    'square_avg',
    ...(centered ? ['grad_avg'] : []),
    ...(hasMomentum ? [MOMENTUM_BUFFER] : []),
  ],
  op: ({ centered }, momentum) => ['optim/rmsprop', { momentum, centered }],
  scalars: ({ alpha, eps }, { momentum }) => [alpha, 1 - alpha, momentum, eps],
  keras: (o) => [
    ['rho', o.alpha],
    ['epsilon', o.eps],
    ['momentum', o.momentum, 0],
    ['centered', o.centered, false],
  ],
});
