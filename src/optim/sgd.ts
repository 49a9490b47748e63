/**
 * `torch.optim.SGD` as two operators over all parameters of a group: `optim/sgd` without momentum, `optim/sgd-momentum`
 * with a momentum buffer per parameter.
 */
import { optimizerOpDef, signOf, stateOf } from './operands';

const f = Math.fround;

export const sgd = optimizerOpDef({
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

export const sgdMomentum = optimizerOpDef({
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
