/**
 * The optimiser operators by name, for the table of all operators in parallel/modes: SGD, Adam (the page's default) and
 * the operators that all optimisers need; the other optimisers are in late/.
 */
import type { OpTable } from '../graph/op';
import { accumulateGrad } from './accumulate-grad';
import { adamRow } from './adam';
import { clipGradNorm } from './clip-grad-norm';
import { clipGradValue } from './clip-grad-value';
import { gradNorm } from './grad-norm';
import { sgdRow } from './sgd';

export const OPTIM_OPS: OpTable = new Map(
  [...sgdRow.ops, ...adamRow.ops, accumulateGrad, gradNorm, clipGradNorm, clipGradValue].map((op) => [op.name, op]),
);
