/**
 * Elementwise operators, unary and with broadcasting, and their gradients. Operators that no layer uses are in
 * testing/all-ops.ts.
 */
import type { OpDef, OpTable } from '../../op';
import { ACTIVATIONS } from './activations';
import { ARITHMETIC } from './arithmetic';
import { binary } from './binary';
import { GELU } from './gelu';
import { unary } from './unary';

export const POINTWISE_OPS: readonly OpDef[] = [
  ...[...ACTIVATIONS, GELU].flatMap(unary),
  ...ARITHMETIC.flatMap(binary),
];

/** Operators that may be a stage of a chain. */
export const STAGE_OPS: OpTable = new Map(POINTWISE_OPS.map((op) => [op.name, op]));
