/**
 * The operators of the optimisers other than SGD and Adam, of those in bfloat16, of clipping and of the GradScaler:
 * loaded by runs that have them.
 */
import type { OpTable } from '../graph/op';
import { clipGradNorm } from './clip-grad-norm';
import { clipGradValue } from './clip-grad-value';
import { gradNorm } from './grad-norm';
import { GRAD_SCALER_OPS } from './grad-scaler';
import { BFLOAT16_OPS } from './in-bfloat16';
import { LATE_ROWS } from './late-optimizers';

export const LATE_OPTIM_OPS: OpTable = new Map(
  [
    ...LATE_ROWS.flatMap(({ ops }) => ops),
    ...BFLOAT16_OPS,
    ...[gradNorm, clipGradNorm, clipGradValue],
    ...GRAD_SCALER_OPS,
  ].map((op) => [op.name, op]),
);
