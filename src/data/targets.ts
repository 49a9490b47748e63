/**
 * Gives the targets of a data family the form that the loss wants, or says why the two do not fit. Called by
 * `make-dataset.ts`.
 */
import { LockstepError } from '../base/errors';
import type { LossConfig } from '../protocol/config';
import type { Dataset } from './dataset';
import type { Labels, NextTokens, Reals, Rows } from './family';

type Targets = Pick<Dataset, 'task' | 'targets' | 'targetShape' | 'classes' | 'classNames'>;

/** The losses whose targets are class indices. */
export const takesClasses = (loss: LossConfig['type']): loss is 'CrossEntropyLoss' | 'NLLLoss' =>
  loss === 'CrossEntropyLoss' || loss === 'NLLLoss';

/** `data` is the type of the data, for messages. */
export function makeTargets(data: string, { type: loss }: LossConfig, { targets }: Rows): Targets {
  switch (targets.kind) {
    case 'reals':
      return ofReals(data, loss, targets);
    case 'tokens':
      return ofTokens(data, loss, targets);
    case 'labels':
      return ofLabels(data, loss, targets);
  }
}

function ofReals(data: string, loss: LossConfig['type'], { values, width }: Reals): Targets {
  if (takesClasses(loss)) {
    throw new LockstepError(
      'data',
      `The data '${data}' has real targets, ${loss} expects class indices.`,
      'Choose MSELoss.',
    );
  }
  if (loss !== 'BCEWithLogitsLoss') return { task: 'regression', targets: values, targetShape: [width], classes: 0 };
  const row = values.findIndex((value) => !(value >= 0 && value <= 1));
  if (row >= 0) {
    throw new LockstepError(
      'data',
      `The data '${data}' has the target ${values[row]} in row ${Math.floor(row / width)}, BCEWithLogitsLoss expects targets from 0 to 1.`,
      'Choose MSELoss.',
    );
  }
  return { task: 'classification', targets: values, targetShape: [width], classes: 2 };
}

function ofTokens(data: string, loss: LossConfig['type'], { values, length, classes }: NextTokens): Targets {
  if (!takesClasses(loss)) {
    throw new LockstepError(
      'data',
      `The data '${data}' asks for a token at each position, ${loss} expects real targets.`,
      'Choose CrossEntropyLoss.',
    );
  }
  return { task: 'classification', targets: values, targetShape: [length], classes };
}

function ofLabels(data: string, loss: LossConfig['type'], { values, classes, names }: Labels): Targets {
  const common = { task: 'classification' as const, classes, ...(names === undefined ? {} : { classNames: names }) };
  if (takesClasses(loss)) return { ...common, targets: values, targetShape: [] };
  if (classes > 2) {
    throw new LockstepError(
      'data',
      `The data '${data}' has ${classes} classes, ${loss} expects one number per row.`,
      'Choose CrossEntropyLoss.',
      { classes },
    );
  }
  const targets = Float32Array.from(values, (label) => (loss === 'BCEWithLogitsLoss' ? label : 2 * label - 1));
  return { ...common, targets, targetShape: [1] };
}
