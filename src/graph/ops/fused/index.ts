/**
 * Operators that only the passes of graph/passes make: several operators in one dispatch. No layer is built from them,
 * and they have no gradient.
 */
import type { OpDef } from '../../op';
import { chain } from '../pointwise/chain';
import { STAGE_OPS } from '../pointwise/stage-ops';
import { linearBackward, linearBackwardParams } from './linear-backward';
import { elementLossWithGradient } from './loss-with-gradient';

export const FUSED_OPS: readonly OpDef[] = [
  linearBackward,
  linearBackwardParams,
  elementLossWithGradient,
  chain(STAGE_OPS),
];
