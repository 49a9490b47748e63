/** The optimiser operators by name, for the table of all operators in parallel/strategies. */
import type { OpTable } from '../graph/op';
import { adam } from './adam';
import { sgd, sgdMomentum } from './sgd';

export const OPTIM_OPS: OpTable = new Map([sgd, sgdMomentum, adam].map((op) => [op.name, op]));
