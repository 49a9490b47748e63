/**
 * From the configuration to a Dataset: draws or reads the rows, gives the targets the form that the loss wants, splits
 * off the test part. `files` come from `prepareFiles`, which does what takes waiting. All draws come from the given
 * generator, already seeded, in the order data, split; the caller draws the model afterwards.
 */
import { unreachable } from '../base/invariant';
import type { DataConfig, LossConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import type { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';
import { fileBytes } from './data-error';
import type { Dataset } from './dataset';
import { circle } from './families/circle';
import { csv } from './families/csv';
import { digits } from './families/digits';
import { gauss } from './families/gauss';
import { idx } from './families/idx';
import { npy } from './families/npy';
import { plane } from './families/plane';
import { png } from './families/png';
import { prototypes } from './families/prototypes';
import { randomRegression } from './families/random-regression';
import { sequence } from './families/sequence';
import { shapes } from './families/shapes';
import { spiral } from './families/spiral';
import { text } from './families/text';
import { xor } from './families/xor';
import type { Rows } from './family';
import { randomSplit } from './samplers';
import { makeTargets } from './targets';

export function makeDataset(config: DataConfig, loss: LossConfig, generator: Generator, files: Files): Dataset {
  const rows = makeRows(config, loss, generator, files);
  const { kind, inputs, inputShape, columns, vocabulary } = rows;
  const count = inputs.length / elements(inputShape);
  const testRows = Math.floor(count * config.testFraction);
  const [train, test] =
    config.testFraction > 0
      ? randomSplit(generator, [count - testRows, testRows])
      : [Int32Array.from({ length: count }, (_, i) => i)];
  return {
    kind,
    rows: count,
    inputs,
    inputType: inputs instanceof Int32Array ? 'i32' : 'f32',
    inputShape,
    ...makeTargets(config.type, loss, rows),
    train: train ?? new Int32Array(),
    test: test ?? new Int32Array(),
    ...(columns === undefined ? {} : { columns }),
    ...(vocabulary === undefined ? {} : { vocabulary }),
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
    case 'prototypes':
      return prototypes(generator, config);
    case 'digits':
      return digits(generator, config);
    case 'shapes':
      return shapes(generator, config);
    case 'sequence':
      return sequence(generator, config);
    case 'text':
      return text(config, files);
    case 'idx':
      return idx(config, files);
    case 'png':
      return png(config, files);
    case 'csv':
      return csv(config, loss, fileBytes(files, config.file));
    case 'npy':
      return npy(config, loss, fileBytes(files, config.inputs), fileBytes(files, config.targets));
    default:
      return unreachable(config);
  }
}
