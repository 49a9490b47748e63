/** The losses and their gradients. */
import type { OpDef } from '../../op';
import { bceWithLogits, bceWithLogitsGrad } from './bce-with-logits';
import { crossEntropy, crossEntropyGrad } from './cross-entropy';
import { mse, mseGrad } from './mse';

export const LOSS_OPS: readonly OpDef[] = [
  bceWithLogits,
  bceWithLogitsGrad,
  crossEntropy,
  crossEntropyGrad,
  mse,
  mseGrad,
];
