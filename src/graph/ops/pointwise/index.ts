/**
 * Elementwise operators of one operand, and their gradients. Operators of two operands are in arithmetic-ops.ts,
 * operators that no layer uses in testing/all-ops.ts.
 */
import type { OpDef } from '../../op';
import { ACTIVATIONS } from './activations';
import { GELU } from './gelu';
import { unary } from './unary';

export const POINTWISE_OPS: readonly OpDef[] = [...ACTIVATIONS, GELU].flatMap(unary);
