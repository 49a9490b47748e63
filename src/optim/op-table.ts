/** The optimiser operators by name, for the table of all operators in parallel/strategies. */
import type { OpTable } from '../graph/op';
import { accumulateGrad } from './accumulate-grad';
import { adam } from './adam';
import { sgd, sgdMomentum } from './sgd';

export const OPTIM_OPS: OpTable = new Map([sgd, sgdMomentum, adam, accumulateGrad].map((op) => [op.name, op]));
