/** The losses of elements and their gradients; those of classes are in class-losses.ts. */
import type { OpDef } from '../../op';
import { elementLoss } from './element-loss';
import { ELEMENT_LOSSES } from './element-losses';

export const LOSS_OPS: readonly OpDef[] = ELEMENT_LOSSES.flatMap(elementLoss);
