/** The losses and their gradients. */
import type { OpDef } from '../../op';
import { classLoss } from './cross-entropy';
import { elementLoss } from './element-loss';
import { ELEMENT_LOSSES } from './element-losses';

export const LOSS_OPS: readonly OpDef[] = [
  ...ELEMENT_LOSSES.flatMap(elementLoss),
  ...classLoss({ name: 'loss/cross-entropy', logProbs: false }),
  ...classLoss({ name: 'loss/nll', logProbs: true }),
];
