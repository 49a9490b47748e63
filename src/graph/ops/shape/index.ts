/** Kernels that move elements and compute nothing: permute, slice, concatenate, gather, scatter. */
import type { OpDef } from '../../op';

export const SHAPE_OPS: readonly OpDef[] = [];
