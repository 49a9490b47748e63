/**
 * Makes a Dataset from the configuration: draws or reads the rows, converts the targets for the loss, splits off the
 * test part. `files` come from `prepareFiles`, the asynchronous part. All draws come from the given, already seeded
 * generator, in the order data, split; the caller draws the model afterwards.
 */
import { unreachable } from '../base/invariant';
import { loadAll, Part } from '../base/part';
import type { DataConfig, LossConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import type { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';
import { fileBytes } from './data-error';
import type { Dataset } from './dataset';
import { circle } from './families/circle';
import { gauss } from './families/gauss';
import { plane } from './families/plane';
import { spiral } from './families/spiral';
import { xor } from './families/xor';
import type { Rows } from './family';
import { randomSplit } from './samplers';
import { makeTargets } from './targets';

/** Points of the plane are part of the first load; other families are loaded for a run with such data. */
const DRAWN = new Part('The drawn pictures', () => import('./families/drawn'));
const RULED = new Part('The data made by rule', () => import('./families/ruled'));
const READ = new Part('The readers of data files', () => import('./families/read'));

const PARTS: Partial<Record<DataConfig['type'], Part<unknown>>> = {
  digits: DRAWN,
  shapes: DRAWN,
  randomRegression: RULED,
  prototypes: RULED,
  sequence: RULED,
  text: READ,
  idx: READ,
  png: READ,
  csv: READ,
  npy: READ,
};

/** To be awaited before makeDataset. */
export async function loadFamily({ type }: Pick<DataConfig, 'type'>): Promise<void> {
  await PARTS[type]?.load();
}

if (!globalThis.LOCKSTEP_SITE) await loadAll([DRAWN, RULED, READ]);

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
      return RULED.get().randomRegression(generator, config.samples, config.in, config.out);
    case 'prototypes':
      return RULED.get().prototypes(generator, config);
    case 'digits':
      return DRAWN.get().digits(generator, config);
    case 'shapes':
      return DRAWN.get().shapes(generator, config);
    case 'sequence':
      return RULED.get().sequence(generator, config);
    case 'text':
      return READ.get().text(config, files);
    case 'idx':
      return READ.get().idx(config, files);
    case 'png':
      return READ.get().png(config, files);
    case 'csv':
      return READ.get().csv(config, loss, fileBytes(files, config.file));
    case 'npy':
      return READ.get().npy(config, loss, fileBytes(files, config.inputs), fileBytes(files, config.targets));
    default:
      return unreachable(config);
  }
}
