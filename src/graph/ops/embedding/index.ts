/** Table look-up and its gradient. */
import type { OpDef } from '../../op';

export const EMBEDDING_OPS: readonly OpDef[] = [];
