/** Sums and products with broadcasting, and their gradients. Loaded for layers that add or multiply tensors. */
import type { OpDef } from '../../op';
import { ARITHMETIC } from './arithmetic';
import { binary } from './binary';

export const ARITHMETIC_OPS: readonly OpDef[] = ARITHMETIC.flatMap(binary);
