/** Elementwise operators, unary and with broadcasting, and their gradients. Dropout's gradient is dropout again, neg's is neg. */
import type { OpDef, OpTable } from '../../op';
import { ACTIVATIONS } from './activations';
import { ARITHMETIC } from './arithmetic';
import { binary } from './binary';
import { chain } from './chain';
import { GELU } from './gelu';
import { neg } from './neg';
import { POWERS } from './powers';
import { unary } from './unary';
import { maskedFill, where } from './where';

const SINGLE_OPS: readonly OpDef[] = [
  ...[...ACTIVATIONS, GELU, ...POWERS].flatMap(unary),
  ...ARITHMETIC.flatMap(binary),
  neg,
  where,
  maskedFill,
];

/** What may be a stage of a chain, and the chain. */
export const STAGE_OPS: OpTable = new Map(SINGLE_OPS.map((op) => [op.name, op]));
export const POINTWISE_OPS: readonly OpDef[] = [...SINGLE_OPS, chain(STAGE_OPS)];
