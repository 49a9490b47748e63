/** Elementwise operators, unary and with broadcasting, and their gradients. Dropout's gradient is dropout again, neg's is neg. */
import type { OpDef } from '../../op';
import { ACTIVATIONS } from './activations';
import { ARITHMETIC } from './arithmetic';
import { binary } from './binary';
import { GELU } from './gelu';
import { neg } from './neg';
import { POWERS } from './powers';
import { unary } from './unary';
import { maskedFill, where } from './where';

export const POINTWISE_OPS: readonly OpDef[] = [
  ...[...ACTIVATIONS, GELU, ...POWERS].flatMap(unary),
  ...ARITHMETIC.flatMap(binary),
  neg,
  where,
  maskedFill,
];
