/** Sums and other reductions over dimensions, and what works row by row (softmax and its kin). */
import type { OpDef } from '../../op';
import { logSoftmax, logSoftmaxGrad } from './log-softmax';
import { softmax, softmaxGrad } from './softmax';
import { sum, sumGrad } from './sum';

export const REDUCE_OPS: readonly OpDef[] = [logSoftmax, logSoftmaxGrad, softmax, softmaxGrad, sum, sumGrad];
