/**
 * The optimiser operators by name, for the table of all operators in parallel/modes: SGD, Adam (the page's default) and
 * the sum of gradients that all optimisers need; the others, and clipping, are in late-ops.
 */
import type { OpTable } from '../graph/op';
import { accumulateGrad } from './accumulate-grad';
import { adamRow } from './adam';
import { sgdRow } from './sgd';

export const OPTIM_OPS: OpTable = new Map([...sgdRow.ops, ...adamRow.ops, accumulateGrad].map((op) => [op.name, op]));
