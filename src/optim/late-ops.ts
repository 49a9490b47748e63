/** The operators of the optimisers other than SGD and Adam, which a run loads when it has one of them. */
import type { OpTable } from '../graph/op';
import { adadelta } from './adadelta';
import { adagrad } from './adagrad';
import { adamax } from './adamax';
import { nadam } from './nadam';
import { radam } from './radam';
import { rmsprop } from './rmsprop';

export const LATE_OPTIM_OPS: OpTable = new Map(
  [rmsprop, adagrad, adadelta, adamax, nadam, radam].map((op) => [op.name, op]),
);
