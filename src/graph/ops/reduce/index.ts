/** Sums and other reductions over dimensions, and what works line by line (softmax and its kin). */
import type { OpDef } from '../../op';
import { cumsum } from './cumsum';
import { logSoftmax, logSoftmaxGrad } from './log-softmax';
import { logsumexp, logsumexpGrad } from './logsumexp';
import { max, maxAllGrad, maxGrad } from './max';
import { norm, normGrad } from './norm';
import { softmax, softmaxGrad } from './softmax';
import { sum, sumGrad } from './sum';
import { variance, varianceGrad } from './var';

export const REDUCE_OPS: readonly OpDef[] = [
  logSoftmax,
  logSoftmaxGrad,
  softmax,
  softmaxGrad,
  sum,
  sumGrad,
  norm,
  normGrad,
  variance,
  varianceGrad,
  max,
  maxGrad,
  maxAllGrad,
  logsumexp,
  logsumexpGrad,
  cumsum,
];
