/**
 * The operators of the optimisers other than SGD and Adam, of those in bfloat16, and of the GradScaler: loaded by runs
 * that have them.
 */
import type { OpTable } from '../graph/op';
import { adadelta } from './adadelta';
import { adagrad } from './adagrad';
import { adamax } from './adamax';
import { GRAD_SCALER_OPS } from './grad-scaler';
import { BFLOAT16_OPS } from './in-bfloat16';
import { nadam } from './nadam';
import { radam } from './radam';
import { rmsprop } from './rmsprop';

export const LATE_OPTIM_OPS: OpTable = new Map(
  [rmsprop, adagrad, adadelta, adamax, nadam, radam, ...BFLOAT16_OPS, ...GRAD_SCALER_OPS].map((op) => [op.name, op]),
);
