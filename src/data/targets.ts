/**
 * Converts the targets of a data family to the form that the loss needs, or says why the two do not fit. Called by
 * `make-dataset.ts`.
 */
import { refusedSettings } from '../base/refused-settings';
import type { LossConfig } from '../protocol/config';
import type { Dataset } from './dataset';
import type { Labels, NextTokens, Reals, Rows } from './family';

/** `better`: a loss that fits. */
const unfit = (data: string, loss: string, why: string, better: LossConfig['type']) =>
  refusedSettings({
    code: 'data',
    settings: { 'data.type': data, 'loss.type': loss },
    why,
    hint: `Set loss.type to "${better}".`,
  });

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
    throw unfit(data, loss, 'the data have real targets, and the loss expects class indices', 'MSELoss');
  }
  if (loss !== 'BCEWithLogitsLoss') return { task: 'regression', targets: values, targetShape: [width], classes: 0 };
  const row = values.findIndex((value) => !(value >= 0 && value <= 1));
  if (row >= 0) {
    const where = `the target ${values[row]} in row ${Math.floor(row / width)}`;
    throw unfit(data, loss, `the data have ${where}, and the loss expects targets from 0 to 1`, 'MSELoss');
  }
  return { task: 'classification', targets: values, targetShape: [width], classes: 2 };
}

function ofTokens(data: string, loss: LossConfig['type'], { values, length, classes }: NextTokens): Targets {
  if (!takesClasses(loss)) {
    const why = 'the data ask for a token at each position, and the loss expects real targets';
    throw unfit(data, loss, why, 'CrossEntropyLoss');
  }
  return { task: 'classification', targets: values, targetShape: [length], classes };
}

function ofLabels(data: string, loss: LossConfig['type'], { values, classes, names }: Labels): Targets {
  const common = { task: 'classification' as const, classes, ...(names === undefined ? {} : { classNames: names }) };
  if (takesClasses(loss)) return { ...common, targets: values, targetShape: [] };
  if (classes > 2) {
    const why = `the data have ${classes} classes, and the loss expects one number per row`;
    throw unfit(data, loss, why, 'CrossEntropyLoss');
  }
  const targets = Float32Array.from(values, (label) => (loss === 'BCEWithLogitsLoss' ? label : 2 * label - 1));
  return { ...common, targets, targetShape: [1] };
}
