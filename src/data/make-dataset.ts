/**
 * From the configuration to a Dataset: draws or reads the rows, gives the targets the form that the loss wants, splits off the test part. All
 * draws come from the given generator, already seeded, in the order data, split; the caller draws the model afterwards.
 */
import { LockstepError } from '../base/errors';
import { unreachable } from '../base/invariant';
import type { DataConfig, LossConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import type { Generator } from '../tensor/generator';
import { fileBytes } from './data-error';
import type { Dataset } from './dataset';
import { circle } from './families/circle';
import { csv } from './families/csv';
import { gauss } from './families/gauss';
import { npy } from './families/npy';
import { plane } from './families/plane';
import { randomRegression } from './families/random-regression';
import { spiral } from './families/spiral';
import { xor } from './families/xor';
import type { Rows } from './family';
import { randomSplit } from './samplers';

export function makeDataset(config: DataConfig, loss: LossConfig, generator: Generator, files: Files): Dataset {
  const rows = makeRows(config, loss, generator, files);
  const { inputs, features, columns } = rows;
  const count = inputs.length / features;
  const testRows = Math.floor(count * config.testFraction);
  const [train, test] =
    config.testFraction > 0
      ? randomSplit(generator, [count - testRows, testRows])
      : [Int32Array.from({ length: count }, (_, i) => i)];
  return {
    rows: count,
    inputs,
    inputShape: [features],
    ...makeTargets(config, loss, rows),
    train: train ?? new Int32Array(),
    test: test ?? new Int32Array(),
    ...(columns === undefined ? {} : { columns }),
  };
}

function makeRows(config: DataConfig, loss: LossConfig, generator: Generator, files: Files): Rows {
  switch (config.type) {
    case 'circle':
      return circle(generator, config.samples, config.noise);
    case 'xor':
      return xor(generator, config.samples, config.noise);
    case 'gauss':
      return gauss(generator, config.samples, config.noise);
    case 'spiral':
      return spiral(generator, config.samples, config.noise);
    case 'plane':
      return plane(generator, config.samples, config.noise);
    case 'randomRegression':
      return randomRegression(generator, config.samples, config.in, config.out);
    case 'csv':
      return csv(config, loss, fileBytes(files, config.file));
    case 'npy':
      return npy(config, loss, fileBytes(files, config.inputs), fileBytes(files, config.targets));
    default:
      return unreachable(config);
  }
}

function makeTargets(
  config: DataConfig,
  loss: LossConfig,
  { targets }: Rows,
): Pick<Dataset, 'task' | 'targets' | 'targetShape' | 'classes' | 'classNames'> {
  if (targets.kind === 'reals') {
    const { values, width } = targets;
    if (loss.type === 'CrossEntropyLoss') {
      throw new LockstepError(
        'data',
        `The data '${config.type}' has real targets, CrossEntropyLoss expects class indices.`,
        'Choose MSELoss.',
      );
    }
    if (loss.type === 'BCEWithLogitsLoss') {
      const row = values.findIndex((value) => !(value >= 0 && value <= 1));
      if (row >= 0) {
        throw new LockstepError(
          'data',
          `The data '${config.type}' has the target ${values[row]} in row ${Math.floor(row / width)}, BCEWithLogitsLoss expects targets from 0 to 1.`,
          'Choose MSELoss.',
        );
      }
      return { task: 'classification', targets: values, targetShape: [width], classes: 2 };
    }
    return { task: 'regression', targets: values, targetShape: [width], classes: 0 };
  }
  const { values, classes, names } = targets;
  const common = { task: 'classification' as const, classes, ...(names === undefined ? {} : { classNames: names }) };
  switch (loss.type) {
    case 'CrossEntropyLoss':
      return { ...common, targets: values, targetShape: [] };
    case 'BCEWithLogitsLoss':
      return { ...common, targets: Float32Array.from(values), targetShape: [1] };
    case 'MSELoss':
      return { ...common, targets: Float32Array.from(values, (label) => 2 * label - 1), targetShape: [1] };
    default:
      return unreachable(loss.type);
  }
}
