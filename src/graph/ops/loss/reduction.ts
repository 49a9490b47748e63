/** What all losses share: reading the attribute `reduction`, and how the terms of a large batch become one number. */
import { LockstepError } from '../../../base/errors';
import type { Attrs, DenseLaunch, TensorType } from '../../op';
import { lowerSum, type SumStep, scratchTypes, sumSteps } from '../reduce/sum-steps';

export type Reduction = 'mean' | 'sum' | 'none';

/** Up to that many terms one invocation adds; beyond, further launches cost less. */
export const SEQUENTIAL_LIMIT = 1024;

/** PyTorch's default is the mean. */
export function reductionOf({ reduction }: Attrs): Reduction {
  if (reduction === undefined || reduction === 'mean') return 'mean';
  if (reduction === 'sum' || reduction === 'none') return reduction;
  throw new LockstepError('config', `${String(reduction)} is not a valid value for reduction`);
}

/** Partial sums that the kernel of the terms makes itself. */
export const partsOf = (n: number): number => (n <= SEQUENTIAL_LIMIT ? 1 : Math.ceil(n / 64 / 4) * 4);

export interface LossSum {
  readonly steps: readonly SumStep[];
  /** Types of the operator's outputs after the loss: the parts, then what lies between the steps. */
  readonly scratch: readonly TensorType[];
  /**
   * The launches that add the parts up, given the operands of the loss and of the parts, after which the rest of the
   * scratch follows.
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
        // There the operands are what is summed, the result, then the scratch.
        bindings: launch.bindings.map((i) => (i === 0 ? partsAt : i === 1 ? loss : partsAt + i - 1)),
      })),
  };
}
