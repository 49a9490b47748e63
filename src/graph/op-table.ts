/** All operators that a model's graph is made of, by name. Optimisers and collectives bring tables of their own; `program` merges them. */
import type { OpDef, OpTable } from './op';
import { add, addGradRow } from './ops/add';
import { bceWithLogits, bceWithLogitsGrad } from './ops/bce-with-logits';
import { crossEntropy, crossEntropyGrad } from './ops/cross-entropy';
import { linear } from './ops/linear';
import { linearGradInput } from './ops/linear-grad-input';
import { linearGradParams } from './ops/linear-grad-params';
import { mse, mseGrad } from './ops/mse';
import { relu, reluGrad } from './ops/relu';
import { tanh, tanhGrad } from './ops/tanh';

const ALL: readonly OpDef[] = [
  linear,
  linearGradInput,
  linearGradParams,
  add,
  addGradRow,
  relu,
  reluGrad,
  tanh,
  tanhGrad,
  mse,
  mseGrad,
  bceWithLogits,
  bceWithLogitsGrad,
  crossEntropy,
  crossEntropyGrad,
];

export const OPS: OpTable = new Map(ALL.map((op) => [op.name, op]));
