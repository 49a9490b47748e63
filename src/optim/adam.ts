/**
 * `torch.optim.Adam` and `AdamW` (attribute `decoupled`) as one operator over all parameters of a device. Single-tensor form without amsgrad,
 * in torch's order of operations; eps is added after the division by the root of the bias correction.
 */
import type { OpDef } from '../graph/op';
import { eachParameter, elementsToUpdate, inferOptimizer, lowerOptimizer } from './operands';

const f = Math.fround;

export const adam: OpDef = {
  name: 'optim/adam',
  infer: (inputs, attrs) => inferOptimizer('optim/adam', inputs, attrs, 2),
  lower: (types) => lowerOptimizer(types, 'optim/adam', 2, { DECOUPLED: types.attrs['decoupled'] === true ? 1 : 0 }),
  flops: (types) => 15 * elementsToUpdate(types),
  cpu(args) {
    const decoupled = args.attrs['decoupled'] === true;
    eachParameter(args, (scalars, p, g, [expAvg = new Float32Array(), expAvgSq = new Float32Array()]) => {
      const [
        ,
        weightDecay = 0,
        beta1 = 0,
        oneMinus1 = 0,
        beta2 = 0,
        oneMinus2 = 0,
        stepSize = 0,
        root2 = 1,
        eps = 0,
        decay = 1,
      ] = scalars;
      const shrink = decoupled ? decay : 1;
      const coupled = decoupled ? 0 : weightDecay;
      for (let i = 0; i < p.length; i++) {
        const value = f((p[i] as number) * shrink);
        const d = f((g[i] as number) + coupled * value);
        const m = f(f(beta1 * (expAvg[i] as number)) + oneMinus1 * d);
        const v = f(f(beta2 * (expAvgSq[i] as number)) + f(oneMinus2 * d) * d);
        expAvg[i] = m;
        expAvgSq[i] = v;
        const denominator = f(f(f(Math.sqrt(v)) / root2) + eps);
        p[i] = value - f(f(stepSize * m) / denominator);
      }
    });
  },
};
