/**
 * `torch.optim.SGD` as two operators over all parameters of a group: `optim/sgd` without momentum, `optim/sgd-momentum`
 * with a momentum buffer per parameter.
 */
import { optimizerOpDef, signOf, stateOf } from './operands';
import { MOMENTUM_BUFFER, NO_ATTRS, optimizerRow } from './optimizer-row';

const f = Math.fround;

const sgd = optimizerOpDef({
  name: 'optim/sgd',
  states: () => 0,
  kernel: () => 'optim/sgd',
  flopsPerElement: () => 4,
  update(scalars, p, g) {
    const [lr = 0, weightDecay = 0] = scalars;
    const sign = signOf(scalars);
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      p[i] = value - lr * f(sign * (g[i] as number) + weightDecay * value);
    }
  },
});

const sgdMomentum = optimizerOpDef({
  name: 'optim/sgd-momentum',
  states: () => 1,
  kernel: () => 'optim/sgd-momentum',
  constants: (attrs) => ({ NESTEROV: attrs['nesterov'] === true ? 1 : 0 }),
  flopsPerElement: (attrs) => (attrs['nesterov'] === true ? 9 : 7),
  update(scalars, p, g, states, attrs) {
    const [lr = 0, weightDecay = 0, momentum = 0, bufferFactor = 0, gradientFactor = 0] = scalars;
    const nesterov = attrs['nesterov'] === true;
    const sign = signOf(scalars);
    const buffer = stateOf(states, 0);
    for (let i = 0; i < p.length; i++) {
      const value = p[i] as number;
      const d = f(sign * (g[i] as number) + weightDecay * value);
      const b = f(f(bufferFactor * (buffer[i] as number)) + gradientFactor * d);
      buffer[i] = b;
      p[i] = value - lr * (nesterov ? f(d + momentum * b) : b);
    }
  },
});

export const sgdRow = optimizerRow({
  types: ['SGD'],
  ops: [sgd, sgdMomentum],
  states: (_, hasMomentum) => (hasMomentum ? [MOMENTUM_BUFFER] : []),
  op: ({ nesterov }, hasMomentum) => (hasMomentum ? ['optim/sgd-momentum', { nesterov }] : ['optim/sgd', NO_ATTRS]),
  // torch's first step copies the gradient into the buffer, without dampening. The buffer is zero then, so the factors
  // 0 and 1 do the same.
  scalars: ({ dampening }, { momentum, t }) => [momentum, t === 1 ? 0 : momentum, t === 1 ? 1 : 1 - dampening],
  keras: (o) =>
    o.dampening === 0
      ? [
          ['momentum', o.momentum, 0],
          ['nesterov', o.nesterov, false],
        ]
      : { lacks: 'SGD with dampening', because: 'Its momentum has none.' },
});
