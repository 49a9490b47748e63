/** The optimiser operators by name, for the table of all operators in parallel/modes. */
import type { OpTable } from '../graph/op';
import { accumulateGrad } from './accumulate-grad';
import { adadelta } from './adadelta';
import { adagrad } from './adagrad';
import { adam } from './adam';
import { adamax } from './adamax';
import { clipGradNorm } from './clip-grad-norm';
import { clipGradValue } from './clip-grad-value';
import { gradNorm } from './grad-norm';
import { nadam } from './nadam';
import { radam } from './radam';
import { rmsprop } from './rmsprop';
import { sgd, sgdMomentum } from './sgd';

export const OPTIM_OPS: OpTable = new Map(
  [
    sgd,
    sgdMomentum,
    adam,
    rmsprop,
    adagrad,
    adadelta,
    adamax,
    nadam,
    radam,
    accumulateGrad,
    gradNorm,
    clipGradNorm,
    clipGradValue,
  ].map((op) => [op.name, op]),
);
