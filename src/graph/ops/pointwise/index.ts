/** Elementwise operators, unary and with broadcasting, and their gradients. */
import type { OpDef } from '../../op';
import { add, addGradRow } from './add';
import { gelu, geluGrad } from './gelu';
import { relu, reluGrad } from './relu';
import { sigmoid, sigmoidGrad } from './sigmoid';
import { tanh, tanhGrad } from './tanh';

export const POINTWISE_OPS: readonly OpDef[] = [
  add,
  addGradRow,
  gelu,
  geluGrad,
  relu,
  reluGrad,
  sigmoid,
  sigmoidGrad,
  tanh,
  tanhGrad,
];
