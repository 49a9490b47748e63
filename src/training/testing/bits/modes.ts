/**
 * Every mode with every net in both placements, worlds of other sizes, accumulation in every mode, settings of one
 * mode.
 * A part of the table of parity/bits.test.ts.
 */
import { type Config, type ConfigInput, MODES } from '../../../protocol/config';
import { type Named, NETS, type NetName, withNet } from './nets';

const PLACEMENTS: readonly Config['placement'][] = ['shared', 'workers'];
/** A pipeline cuts its batches by itself: its runs are in pipelines.ts. */
const WHOLE_BATCHES = MODES.filter((mode) => mode !== 'pipeline');
const PARALLEL = WHOLE_BATCHES.filter((mode) => mode !== 'single');
const netNames = Object.keys(NETS) as readonly NetName[];

const everyNet: readonly Named[] = netNames.flatMap((net) => [
  withNet(`single, ${net}`, net),
  ...PARALLEL.flatMap((mode) =>
    PLACEMENTS.map((placement) =>
      withNet(`${mode} of 3, ${net}, ${placement}`, net, { mode, worldSize: 3, placement }),
    ),
  ),
]);

const worlds: readonly Named[] = PARALLEL.flatMap((mode) =>
  [1, 2, 5]
    .filter((worldSize) => mode !== 'modelParallel' || worldSize < 5)
    .map((worldSize) => withNet(`${mode} of ${worldSize}, mlp`, 'mlp', { mode, worldSize })),
);

const beside: readonly Named[] = PARALLEL.map((mode) =>
  withNet(`${mode} of 2, mixed, a single device beside it`, 'mixed', { mode, worldSize: 2, compareSingle: true }),
);

const accumulation: readonly Named[] = WHOLE_BATCHES.flatMap((mode) => [
  withNet(`${mode}, mlp, accumulate 2`, 'mlp', { mode, worldSize: 2, accumulate: 2 }),
  withNet(`${mode}, cnn, accumulate 3, workers`, 'cnn', { mode, worldSize: 2, accumulate: 3, placement: 'workers' }),
]);

const rewrites: readonly Named[] = WHOLE_BATCHES.flatMap((mode) => [
  withNet(`${mode}, gpt, fused`, 'gpt', { mode, worldSize: 2, fuse: true }),
  withNet(`${mode}, mixed, checkpointed in 2 segments`, 'mixed', { mode, worldSize: 2, checkpointSegments: 2 }),
]);

const server = (name: string, more: ConfigInput): Named =>
  withNet(`parameterServer, ${name}`, 'mlp', { mode: 'parameterServer', worldSize: 4, ...more });

const servers: readonly Named[] = [
  ...[0, 1, 3].map((staleness) =>
    server(`asynchronous, staleness ${staleness}`, { parameterServer: { synchronous: false, staleness } }),
  ),
  server('asynchronous, workers', { placement: 'workers', parameterServer: { synchronous: false } }),
  server('asynchronous, Adam, clipped', {
    parameterServer: { synchronous: false, staleness: 2 },
    optimizer: { type: 'Adam', lr: 0.02 },
    clipGradNorm: 0.3,
  }),
];

const splits: readonly Named[] = [
  [1, 4],
  [4, 1],
  [2, 1, 2],
].map((split) =>
  withNet(`modelParallel, split ${split.join('-')}`, 'mlp', {
    mode: 'modelParallel',
    worldSize: split.length,
    modelParallel: { split },
  }),
);

const batches: readonly Named[] = [
  withNet('single, in order, last batch dropped', 'mlp', { shuffle: false, dropLast: true }),
  withNet('ddp, last batch dropped', 'mlp', { mode: 'ddp', worldSize: 3, dropLast: true }),
  withNet('dataParallel, 7 samples on 4 devices', 'mlp', { mode: 'dataParallel', worldSize: 4, batchSize: 7 }),
  withNet('ddp, in order, 7 samples on 4 devices', 'mlp', {
    mode: 'ddp',
    worldSize: 4,
    batchSize: 7,
    shuffle: false,
  }),
];

export const MODE_RUNS: readonly Named[] = [
  ...everyNet,
  ...worlds,
  ...beside,
  ...accumulation,
  ...rewrites,
  ...servers,
  ...splits,
  ...batches,
];
