/**
 * `torch.optim.SGD` as two operators over all parameters of a device: `optim/sgd` without momentum, `optim/sgd-momentum` with a momentum
 * buffer a parameter. Float32 in the order of torch's CPU code, whose fused multiply-adds a double expression rounded once stands for.
 */
import type { OpDef } from '../graph/op';
import { eachParameter, elementsToUpdate, inferOptimizer, lowerOptimizer } from './operands';

const f = Math.fround;

export const sgd: OpDef = {
  name: 'optim/sgd',
  infer: (inputs, attrs) => inferOptimizer('optim/sgd', inputs, attrs, 0),
  lower: (types) => lowerOptimizer(types, 'optim/sgd', 0, {}),
  flops: (types) => 4 * elementsToUpdate(types),
  cpu(args) {
    eachParameter(args, (scalars, p, g) => {
      const [lr = 0, weightDecay = 0] = scalars;
      for (let i = 0; i < p.length; i++) {
        const value = p[i] as number;
        p[i] = value - lr * f((g[i] as number) + weightDecay * value);
      }
    });
  },
};

export const sgdMomentum: OpDef = {
  name: 'optim/sgd-momentum',
  infer: (inputs, attrs) => inferOptimizer('optim/sgd-momentum', inputs, attrs, 1),
  lower: (types) =>
    lowerOptimizer(types, 'optim/sgd-momentum', 1, { NESTEROV: types.attrs['nesterov'] === true ? 1 : 0 }),
  flops: (types) => (types.attrs['nesterov'] === true ? 9 : 7) * elementsToUpdate(types),
  cpu(args) {
    const nesterov = args.attrs['nesterov'] === true;
    eachParameter(args, (scalars, p, g, [buffer = new Float32Array()]) => {
      const [lr = 0, weightDecay = 0, momentum = 0, bufferFactor = 0, gradientFactor = 0] = scalars;
      for (let i = 0; i < p.length; i++) {
        const value = p[i] as number;
        const d = f((g[i] as number) + weightDecay * value);
        const b = f(f(bufferFactor * (buffer[i] as number)) + gradientFactor * d);
        buffer[i] = b;
        p[i] = value - lr * (nesterov ? f(d + momentum * b) : b);
      }
    });
  },
};
