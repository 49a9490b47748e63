import type { OpTable } from '../../op';
import { POINTWISE_OPS } from '.';
import { ARITHMETIC_OPS } from './arithmetic-ops';

/** Operators that may be a stage of a chain. */
export const STAGE_OPS: OpTable = new Map([...POINTWISE_OPS, ...ARITHMETIC_OPS].map((op) => [op.name, op]));
