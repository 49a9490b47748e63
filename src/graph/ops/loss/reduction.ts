/** Helpers for all losses: read the attribute `reduction`, and reduce the terms of a large batch to one number. */
import { LockstepError } from '../../../base/errors';
import type { Attrs, DenseLaunch, TensorType } from '../../op';
import { lowerSum, type SumStep, scratchTypes, sumSteps } from '../reduce/sum-steps';

export type Reduction = 'mean' | 'sum' | 'none';

/** Up to this many terms, one invocation adds them; for more terms, further launches cost less. */
export const SEQUENTIAL_LIMIT = 1024;

/** PyTorch's default is the mean. */
export function reductionOf({ reduction }: Attrs): Reduction {
  if (reduction === undefined || reduction === 'mean') return 'mean';
  if (reduction === 'sum' || reduction === 'none') return reduction;
  throw new LockstepError('config', `${String(reduction)} is not a valid value for reduction`);
}

/** Number of partial sums that the kernel of the terms writes itself. */
export const partsOf = (n: number): number => (n <= SEQUENTIAL_LIMIT ? 1 : Math.ceil(n / 64 / 4) * 4);

export interface LossSum {
  readonly steps: readonly SumStep[];
  /** Types of the operator's outputs after the loss: the parts, then the intermediate sums. */
  readonly scratch: readonly TensorType[];
  /**
   * The launches that add up the parts, given the operands of the loss and of the parts; the rest of the scratch
   * follows the parts.
   */
  readonly lower: (loss: number, divisor: number, parts: number) => readonly DenseLaunch[];
}

/** The sums of `planes` rows of `parts` parts each, by the steps of ops/sum. */
export function lossSum(parts: number, planes: number): LossSum {
  const steps = sumSteps([{ outer: planes, n: parts, inner: 1 }]);
  return {
    steps,
    scratch: [{ shape: [planes * parts], dtype: 'f32' }, ...scratchTypes(steps)],
    lower: (loss, divisor, partsAt) =>
      lowerSum(steps, { divisor }).map((launch) => ({
        ...launch,
        // In ops/sum the operands are the addends, the result, then the scratch.
        bindings: launch.bindings.map((i) => (i === 0 ? partsAt : i === 1 ? loss : partsAt + i - 1)),
      })),
  };
}
