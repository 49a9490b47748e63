/** Normalisation layers: layer, batch and group norm. */
import type { OpDef } from '../../op';

export const NORM_OPS: readonly OpDef[] = [];
