/** Sums and other reductions over dimensions, and operators that work line by line (softmax and similar). */
import type { OpDef } from '../../op';
import { logSoftmax, logSoftmaxGrad } from './log-softmax';
import { softmax, softmaxGrad } from './softmax';
import { sum } from './sum';

export const REDUCE_OPS: readonly OpDef[] = [logSoftmax, logSoftmaxGrad, softmax, softmaxGrad, sum];
