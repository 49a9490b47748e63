/** All operators that a model's graph is made of, by name. Optimisers and collectives bring tables of their own; `program` merges them. */
import type { OpDef, OpTable } from './op';
import { add, addGradRow } from './ops/add';
import { bceWithLogits, bceWithLogitsGrad } from './ops/bce-with-logits';
import { crossEntropy, crossEntropyGrad } from './ops/cross-entropy';
import { gelu, geluGrad } from './ops/gelu';
import { linear } from './ops/linear';
import { linearGradInput } from './ops/linear-grad-input';
import { linearGradParams } from './ops/linear-grad-params';
import { logSoftmax, logSoftmaxGrad } from './ops/log-softmax';
import { matmul } from './ops/matmul';
import { mse, mseGrad } from './ops/mse';
import { relu, reluGrad } from './ops/relu';
import { sigmoid, sigmoidGrad } from './ops/sigmoid';
import { softmax, softmaxGrad } from './ops/softmax';
import { sum, sumGrad } from './ops/sum';
import { tanh, tanhGrad } from './ops/tanh';

const ALL: readonly OpDef[] = [
  linear,
  linearGradInput,
  linearGradParams,
  matmul,
  add,
  addGradRow,
  relu,
  reluGrad,
  tanh,
  tanhGrad,
  sigmoid,
  sigmoidGrad,
  gelu,
  geluGrad,
  softmax,
  softmaxGrad,
  logSoftmax,
  logSoftmaxGrad,
  sum,
  sumGrad,
  mse,
  mseGrad,
  bceWithLogits,
  bceWithLogitsGrad,
  crossEntropy,
  crossEntropyGrad,
];

export const OPS: OpTable = new Map(ALL.map((op) => [op.name, op]));
