/** Scaled dot-product attention without the score matrix. */
import type { OpDef } from '../../op';

export const ATTENTION_OPS: readonly OpDef[] = [];
