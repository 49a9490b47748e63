/**
 * Makes a Dataset from the configuration: draws or reads the rows, converts the targets for the loss, splits off the
 * test part. `files` come from `prepareFiles`, the asynchronous part. All draws come from the given, already seeded
 * generator, in the order data, split; the caller draws the model afterwards.
 */
import { must } from '../base/invariant';
import { loadAll, Part } from '../base/part';
import type { DataConfig, LossConfig } from '../protocol/config';
import { isBuiltIn } from '../protocol/config/data';
import type { Files } from '../protocol/session';
import type { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';
import type { Dataset } from './dataset';
import { SPIRAL } from './families/spiral';
import type { DataFamily } from './family';
import { randomSplit } from './samplers';
import { makeTargets } from './targets';

const MADE = new Part('The data sets that Lockstep makes', async () => (await import('./families/made')).MADE);
const READ = new Part('The readers of data files', async () => (await import('./families/read')).READ);

/** The page's first run trains on the spiral, so its file is loaded at once. */
const partOf = (type: DataConfig['type']): Part<readonly DataFamily[]> | undefined =>
  type === SPIRAL.type ? undefined : isBuiltIn(type) ? MADE : READ;

/** To be awaited before makeDataset. */
export async function loadFamily({ type }: Pick<DataConfig, 'type'>): Promise<void> {
  await partOf(type)?.load();
}

if (!globalThis.LOCKSTEP_SITE) await loadAll([MADE, READ]);

function familyOf(type: DataConfig['type']): DataFamily {
  const families = partOf(type)?.get() ?? [SPIRAL];
  return must(
    families.find((family) => family.type === type),
    `the data set ${type}`,
  );
}

export function makeDataset(config: DataConfig, loss: LossConfig, generator: Generator, files: Files): Dataset {
  const rows = familyOf(config.type).rows({ config, loss, generator, files });
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
