/** y = -x, as torch.neg; its gradient is itself. */
import type { OpDef } from '../../op';
import { unary } from './unary';

const negate = (x: ArrayLike<number>, y: Float32Array | Int32Array): void => {
  for (let i = 0; i < y.length; i++) y[i] = -(x[i] as number);
};

const [op] = unary({
  name: 'ops/neg',
  code: 12,
  flops: [1, 1],
  saved: 'input',
  forward: negate,
  gradient: (dy, _, dx) => negate(dy, dx),
});

export const neg: OpDef = {
  ...op,
  gradient(c) {
    const dy = c.outputGrad(0);
    return dy === undefined || !c.needsGrad(0) ? [] : c.emit('ops/neg', [dy], {}, [0]);
  },
};
