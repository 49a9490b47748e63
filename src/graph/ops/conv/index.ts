/** Convolutions and pooling. */
import type { OpDef } from '../../op';

export const CONV_OPS: readonly OpDef[] = [];
