/**
 * DistributedDataParallel: hooks, algorithms, its arguments, uneven ranks, no_sync, SyncBatchNorm.
 * A part of the table of parity/bits.test.ts.
 */
import { ALGORITHM_NAMES } from '../../../protocol/collective';
import type { Config, ConfigInput } from '../../../protocol/config';
import { type Named, type NetName, withLayers, withNet } from './nets';

type Ddp = NonNullable<ConfigInput['ddp']>;
type Hook = NonNullable<Ddp['commHook']>;

const PLACEMENTS: readonly Config['placement'][] = ['shared', 'workers'];
/** Several buckets, even in nets as small as these. */
const SMALL = 0.0002;

const run = (name: string, net: NetName, ddp: Ddp, more: ConfigInput = {}): Named =>
  withNet(`ddp, ${name}`, net, { mode: 'ddp', worldSize: 3, ...more, ddp });

const HOOKS: readonly (readonly [string, Hook])[] = [
  ['fp16', { type: 'fp16Compress' }],
  ['bf16', { type: 'bf16Compress' }],
  ['powerSGD', { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5 }],
  [
    'powerSGD of rank 2, cold, without error feedback',
    {
      type: 'powerSGD',
      matrixApproximationRank: 2,
      startPowerSGDIter: 3,
      minCompressionRate: 0.5,
      warmStart: false,
      useErrorFeedback: false,
    },
  ],
  ['localSGD from step 0', { type: 'localSGD', period: 3, startLocalSGDIter: 0 }],
  ['localSGD from step 5', { type: 'localSGD', period: 2, startLocalSGDIter: 5 }],
];

const hooks: readonly Named[] = HOOKS.flatMap(([name, commHook]) => [
  ...PLACEMENTS.map((placement) =>
    run(`${name}, ${placement}`, 'mlp', { commHook, bucketCapMb: SMALL }, { placement }),
  ),
  run(`${name}, gpt`, 'gpt', { commHook }, { worldSize: 2 }),
  run(`${name}, accumulate 2`, 'mixed', { commHook }, { worldSize: 2, accumulate: 2 }),
]);

const algorithms: readonly Named[] = ALGORITHM_NAMES.flatMap((algorithm) => [
  run(`${algorithm} of 4`, 'mlp', { algorithm, bucketCapMb: SMALL }, { worldSize: 4 }),
  run(`${algorithm} of 5, workers`, 'mixed', { algorithm }, { worldSize: 5, placement: 'workers' }),
  run(`${algorithm} of 6 on 2 nodes`, 'mlp', { algorithm }, { worldSize: 6, nodes: 2 }),
]);

const withArguments: readonly Named[] = (
  [
    ['one bucket a tensor', { bucketCapMb: 0.00001 }],
    ['no overlap', { overlap: false, bucketCapMb: SMALL }],
    ['gradientAsBucketView', { gradientAsBucketView: true, bucketCapMb: SMALL }],
    ['staticGraph', { staticGraph: true, bucketCapMb: SMALL }],
    ['findUnusedParameters', { findUnusedParameters: true }],
    ['samplerSeed 7', { samplerSeed: 7 }],
    ['no set_epoch', { setEpoch: false }],
    ['no broadcast of buffers', { broadcastBuffers: false }],
    ['seeds before the model', { rankSeeds: 'beforeModel' }],
    ['seeds after the model', { rankSeeds: 'afterModel' }],
    ['seeds before the model, no initSync', { rankSeeds: 'beforeModel', initSync: false }],
  ] satisfies readonly (readonly [string, Ddp])[]
).map(([name, ddp]) => run(name, 'mixed', ddp));

const noSync: readonly Named[] = (['both', 'forward', 'backward', 'none'] as const).flatMap((kind) =>
  [false, true].map((gradientAsBucketView) =>
    run(
      `no_sync ${kind}, accumulate 3${gradientAsBucketView ? ', views' : ''}`,
      'mlp',
      { noSync: kind, gradientAsBucketView, bucketCapMb: SMALL },
      { accumulate: 3 },
    ),
  ),
);

const uneven = [19, 11, 16];
const joins: readonly Named[] = [
  run('join, uneven', 'mixed', { join: true, samplesPerRank: uneven }),
  run('join, uneven, workers', 'mixed', { join: true, samplesPerRank: uneven }, { placement: 'workers' }),
  run('join, divided by those that are left', 'mlp', {
    join: true,
    samplesPerRank: uneven,
    divideByInitialWorldSize: false,
    bucketCapMb: SMALL,
  }),
  run('join, a rank without rows', 'mlp', { join: true, samplesPerRank: [20, 0, 26] }, { shuffle: false }),
  run('join, even', 'mlp', { join: true }, { worldSize: 2 }),
  run('join, fp16', 'mlp', { join: true, samplesPerRank: uneven, commHook: { type: 'fp16Compress' } }),
  run('samples of ranks, short last batches', 'mlp', { samplesPerRank: [15, 14, 13] }, { shuffle: false }),
];

const syncBatchNorm: readonly Named[] = [
  run('SyncBatchNorm', 'cnn', { syncBatchNorm: true }),
  run('SyncBatchNorm, workers', 'cnn', { syncBatchNorm: true }, { placement: 'workers' }),
  run('SyncBatchNorm, uneven batches', 'mixed', { syncBatchNorm: true, samplesPerRank: [15, 14, 13] }),
  run('SyncBatchNorm, accumulate 2', 'mixed', { syncBatchNorm: true }, { worldSize: 2, accumulate: 2 }),
];

const unused = (name: string, ddp: Ddp): Named =>
  withLayers(
    `ddp, a module that is not used, ${name}`,
    [
      { type: 'Linear', in: 3, out: 4 },
      { type: 'Tanh' },
      { type: 'Unused', layers: [{ type: 'Linear', in: 2, out: 2 }] },
      { type: 'Linear', in: 4, out: 1 },
    ],
    {
      mode: 'ddp',
      worldSize: 2,
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9, weightDecay: 0.1 },
      data: { type: 'randomRegression', samples: 30, in: 3, out: 1 },
      batchSize: 8,
      ddp,
    },
  );

export const DDP_RUNS: readonly Named[] = [
  ...hooks,
  ...algorithms,
  ...withArguments,
  ...noSync,
  ...joins,
  ...syncBatchNorm,
  unused('findUnusedParameters', { findUnusedParameters: true, bucketCapMb: 0.00001 }),
  unused('staticGraph', { staticGraph: true }),
  unused('join', { findUnusedParameters: true, join: true, samplesPerRank: [17, 9] }),
];
