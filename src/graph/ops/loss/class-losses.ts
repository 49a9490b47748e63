/** The losses of classes and their gradients: cross-entropy and NLL. */
import type { OpDef } from '../../op';
import { classLoss } from './cross-entropy';

export const CROSS_ENTROPY = classLoss({ name: 'loss/cross-entropy', logProbs: false });

export const CLASS_LOSS_OPS: readonly OpDef[] = [...CROSS_ENTROPY, ...classLoss({ name: 'loss/nll', logProbs: true })];
