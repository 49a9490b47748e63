/**
 * The numbers that an optimiser kernel reads each step: computed in double precision as torch does it in Python, rounded to float32 once, and
 * loaded from the host into the buffer `scalars`. So a changed learning rate or a bias correction never rebuilds a Program.
 *
 *     index  SGD                         Adam, AdamW
 *     0      lr                          lr
 *     1      weightDecay                 weightDecay
 *     2      momentum                    beta1
 *     3      bufferFactor                1 - beta1
 *     4      gradientFactor              beta2
 *     5                                  1 - beta2
 *     6                                  stepSize = lr / (1 - beta1^t)
 *     7                                  sqrt(1 - beta2^t)
 *     8                                  eps
 *     9                                  decay = 1 - lr * weightDecay   (AdamW)
 */
import type { OptimizerConfig } from '../protocol/config';

export const SCALARS_LENGTH = 16;

/** Scalars of the t-th step, t = 1, 2, ... */
export function stepScalars(optimizer: OptimizerConfig, t: number): Float32Array<ArrayBuffer> {
  const scalars = new Float32Array(SCALARS_LENGTH);
  if (optimizer.type === 'SGD') {
    const { lr, weightDecay, momentum, dampening } = optimizer;
    // torch's first step copies the gradient into the buffer: no dampening. The buffer is zero then, so factors 0 and 1 do the same.
    scalars.set([lr, weightDecay, momentum, t === 1 ? 0 : momentum, t === 1 ? 1 : 1 - dampening]);
  } else {
    const { lr, weightDecay, beta1, beta2, eps } = optimizer;
    const stepSize = lr / (1 - beta1 ** t);
    scalars.set([
      lr,
      weightDecay,
      beta1,
      1 - beta1,
      beta2,
      1 - beta2,
      stepSize,
      Math.sqrt(1 - beta2 ** t),
      eps,
      1 - lr * weightDecay,
    ]);
  }
  return scalars;
}
