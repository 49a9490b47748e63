/**
 * Data, model and sample orders of two PyTorch runs (single and DDP), drawn from one seed as the training script does.
 */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import type { Config, DataConfig } from '../protocol/config';
import { DEFAULT_CONFIG } from '../protocol/config';
import { sha256 } from '../tensor/fixtures/decode';
import { Generator } from '../tensor/generator';
import { initLinear } from '../tensor/init';
import { type BatchSource, makeBatchSource } from './batch-source';
import type { Dataset } from './dataset';
import fixtures from './fixtures/orders.json';
import { makeDataset } from './make-dataset';

type Run = (typeof fixtures.runs)[number];
const BASE: Config = DEFAULT_CONFIG;

function start({ spec, init_sha256 }: Run): { dataset: Dataset; generator: Generator } {
  const generator = new Generator(spec.seed);
  const regression = spec.data.kind === 'randn_reg';
  const { in: inputs = 0, out = 0, n: samples } = spec.data;
  const data: DataConfig = regression
    ? { type: 'randomRegression', samples, in: inputs, out, testFraction: 0 }
    : { type: 'xor', samples, noise: 0, testFraction: 0 };
  const dataset = makeDataset(
    data,
    { type: regression ? 'MSELoss' : 'BCEWithLogitsLoss', reduction: 'mean' },
    generator,
    {},
  );
  const { in: wide, h = 0, out: narrow } = spec.model;
  const linears: [number, number][] =
    spec.model.kind === 'linear'
      ? [[wide, narrow]]
      : [
          [wide, h],
          [h, h],
          [h, narrow],
        ];
  const hashes = linears.flatMap(([a, b]) => {
    const { weight, bias } = initLinear(generator, a, b, true);
    return [sha256(weight), sha256(bias ?? new Float32Array())];
  });
  expect(hashes).toEqual(Object.values(init_sha256));
  return { dataset, generator };
}

/** The rows of the first `epochs` epochs by process, and the number of batches of the first epoch. */
function twoEpochs(source: BatchSource, processes: number): number[][][] {
  const orders = Array.from({ length: processes }, () => [[], []] as number[][]);
  for (let i = 0; i < 2 * source.batchesPerEpoch; i++) {
    const { rows, epoch, microBatch } = source.next();
    expect(microBatch).toBe(i);
    for (const [rank, own] of rows.entries()) {
      orders[rank]?.[epoch]?.push(...own);
      expect(own.length).toBe(source.sizes[source.schedule.sizeAt(i)]?.[rank]);
    }
  }
  return orders;
}

test.each(fixtures.runs.map((run) => [run.spec.name, run] as const))('%s: data and order', (_, run) => {
  const { spec, data } = run;
  const { dataset, generator } = start(run);
  expect(sha256(dataset.inputs)).toBe(data.X_sha256);
  expect(sha256(dataset.targets)).toBe(data.y_sha256);
  expect([dataset.rows, ...dataset.inputShape]).toEqual(data.X_shape);
  expect([dataset.rows, ...dataset.targetShape]).toEqual(data.y_shape);
  const config: Config = { ...BASE, mode: 'single', batchSize: spec.batch, shuffle: spec.shuffle };
  const source = makeBatchSource({ config, dataset, generator, processes: 1 });
  const plain = Array.from({ length: dataset.rows }, (__, i) => i);
  expect(twoEpochs(source, 1)[0]).toEqual(run.orders_first2epochs ?? [plain, plain]);
});

/** The default generator of a process, in the state in which the source has left it. */
const streamOf = (source: BatchSource, rank = 0): Generator => at(source.state().generators, rank);

test.each(fixtures.runs.map((run) => [run.spec.name, run] as const))('%s: the stream after 100 steps', (_, run) => {
  const { dataset, generator } = start(run);
  const config: Config = { ...BASE, mode: 'single', batchSize: run.spec.batch, shuffle: run.spec.shuffle };
  const source = makeBatchSource({ config, dataset, generator, processes: 1 });
  for (let i = 0; i < run.spec.steps; i++) source.next();
  expect([...streamOf(source).rand(2)]).toEqual(run.next_rand2);
});

const ddpCases = fixtures.runs.flatMap((run) =>
  run.ddp.map((entry) => [`${run.spec.name} ${JSON.stringify(entry.mode)}`, run, entry] as const),
);
test.each(ddpCases)('DDP: %s', (_, run, entry) => {
  const { dataset, generator } = start(run);
  const mode: {
    world_size: number;
    batch_per_rank: number;
    shuffle?: boolean;
    drop_last?: boolean;
    sampler_seed?: number;
  } = entry.mode;
  const processes = mode.world_size;
  const config: Config = {
    ...BASE,
    mode: 'ddp',
    worldSize: processes,
    batchSize: mode.batch_per_rank * processes,
    shuffle: mode.shuffle ?? true,
    dropLast: mode.drop_last ?? false,
    ddp: { ...BASE.ddp, samplerSeed: mode.sampler_seed ?? 0 },
  };
  const source = makeBatchSource({ config, sampler: 'distributed', dataset, generator, processes });
  expect(twoEpochs(source, processes)).toEqual(entry.per_rank_orders_first2epochs);

  const again = makeBatchSource({ config, sampler: 'distributed', dataset, generator, processes });
  for (let i = 0; i < run.spec.steps; i++) again.next();
  for (const [rank, next] of entry.per_rank_next_rand2.entries())
    expect([...streamOf(again, rank).rand(2)]).toEqual(next);
});

const small = (samples: number): Dataset =>
  makeDataset(
    { type: 'spiral', samples, noise: 0, testFraction: 0 },
    { type: 'BCEWithLogitsLoss', reduction: 'mean' },
    new Generator(0),
    {},
  );

test('an uneven end: sizes say so, dropLast drops it; a batch over the data is one short full batch', () => {
  const config = { ...BASE, mode: 'single' as const, batchSize: 8 };
  const make = (options: Partial<Config>, samples = 20) =>
    makeBatchSource({
      config: { ...config, ...options },
      dataset: small(samples),
      generator: new Generator(0),
      processes: 1,
    });
  expect(make({})).toMatchObject({ batchesPerEpoch: 3, sizes: { full: [8], last: [4] } });
  expect(make({ dropLast: true })).toMatchObject({ batchesPerEpoch: 2, sizes: { full: [8], last: undefined } });
  expect(make({}, 6)).toMatchObject({ batchesPerEpoch: 1, sizes: { full: [6], last: undefined } });
  expect(() => make({ dropLast: true }, 6)).toThrow(
    'batchSize is 8 and dropLast is true: no process gets a full batch in an epoch (6 training rows, 1 process)',
  );
});

test('DDP floors the batch of a process; a batch smaller than the world is refused', () => {
  const config = { ...BASE, mode: 'ddp' as const, batchSize: 10, dropLast: false };
  const make = (batchSize: number) =>
    makeBatchSource({
      config: { ...config, batchSize },
      sampler: 'distributed',
      dataset: small(21),
      generator: new Generator(0),
      processes: 4,
    });
  expect(make(11).sizes).toEqual({ full: [2, 2, 2, 2], last: undefined });
  expect(make(16).sizes).toEqual({ full: [4, 4, 4, 4], last: [2, 2, 2, 2] });
  expect(() => make(3)).toThrow('batchSize is 3: a batch of 3 rows is shared by 4 processes');
});
