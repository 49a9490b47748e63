/**
 * Settings of DistributedDataParallel together: SyncBatchNorm with each of the others, accumulation with each of the
 * others, modules that are not used. A part of the table of parity/bits.test.ts.
 */
import type { ConfigInput } from '../../../protocol/config';
import { type Named, type NetName, withLayers, withNet } from './nets';

type Ddp = NonNullable<ConfigInput['ddp']>;

const SMALL = 0.0002;

const run = (name: string, net: NetName, { ddp, ...more }: ConfigInput): Named =>
  withNet(`ddp, ${name}`, net, {
    mode: 'ddp',
    worldSize: 2,
    ...more,
    ddp: { bucketCapMb: SMALL, ...ddp },
  });

const WITH_SYNC_BATCH_NORM: readonly (readonly [string, ConfigInput])[] = [
  ['naive', { ddp: { algorithm: 'naive' } }],
  ['tree of 4', { worldSize: 4, ddp: { algorithm: 'tree' } }],
  ['no overlap', { ddp: { overlap: false } }],
  ['views', { ddp: { gradientAsBucketView: true } }],
  ['staticGraph', { ddp: { staticGraph: true } }],
  ['findUnusedParameters', { ddp: { findUnusedParameters: true } }],
  ['fp16', { ddp: { commHook: { type: 'fp16Compress' } } }],
  ['localSGD', { ddp: { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 3 } } }],
  ['no broadcast of buffers', { ddp: { broadcastBuffers: false } }],
  ['accumulate 2, no_sync none', { accumulate: 2, ddp: { noSync: 'none' } }],
  ['checkpointed in 2 segments', { checkpointSegments: 2 }],
  ['fused, clipped', { fuse: true, clipGradNorm: 0.1 }],
];

const syncBatchNorm: readonly Named[] = WITH_SYNC_BATCH_NORM.map(([name, config]) =>
  run(`SyncBatchNorm, ${name}`, 'mixed', { ...config, ddp: { syncBatchNorm: true, ...config.ddp } }),
);

const ACCUMULATED: readonly (readonly [string, Ddp])[] = [
  ['staticGraph', { staticGraph: true }],
  ['findUnusedParameters', { findUnusedParameters: true }],
  ['no_sync none, bf16', { noSync: 'none', commHook: { type: 'bf16Compress' } }],
  ['no_sync backward, no overlap', { noSync: 'backward', overlap: false }],
  ['localSGD', { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 1 } }],
  ['no broadcast of buffers', { broadcastBuffers: false }],
  ['join, even', { join: true }],
];

const FORTY: ConfigInput['data'] = { type: 'randomRegression', samples: 40, in: 6, out: 3 };

const accumulated: readonly Named[] = ACCUMULATED.map(([name, ddp]) =>
  // Two rows in every batch, since batch norm takes no batch of one row.
  run(`accumulate 5, ${name}`, 'mixed', { accumulate: 5, batchSize: 20, data: FORTY, ddp }),
);

const unused = (name: string, { ddp, ...more }: ConfigInput): Named =>
  withLayers(
    `ddp, two modules that are not used, ${name}`,
    [
      { type: 'Linear', in: 3, out: 4 },
      { type: 'Unused', layers: [{ type: 'Linear', in: 2, out: 2 }] },
      { type: 'Tanh' },
      { type: 'Linear', in: 4, out: 1 },
      { type: 'Unused', layers: [{ type: 'Linear', in: 1, out: 3 }] },
    ],
    {
      mode: 'ddp',
      worldSize: 2,
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9, weightDecay: 0.1 },
      data: { type: 'randomRegression', samples: 30, in: 3, out: 1 },
      batchSize: 8,
      ...more,
      ddp: { bucketCapMb: 0.00002, ...ddp },
    },
  );

const unusedModules: readonly Named[] = [
  unused('find, views', { ddp: { findUnusedParameters: true, gradientAsBucketView: true } }),
  unused('find, accumulate 2', { accumulate: 2, ddp: { findUnusedParameters: true } }),
  unused('staticGraph, views', { ddp: { staticGraph: true, gradientAsBucketView: true } }),
  unused('find, fp16, clipped', {
    clipGradNorm: 0.1,
    ddp: { findUnusedParameters: true, commHook: { type: 'fp16Compress' } },
  }),
  unused('find, join, no overlap', {
    ddp: { findUnusedParameters: true, join: true, samplesPerRank: [17, 9], overlap: false },
  }),
];

export const DDP_TOGETHER_RUNS: readonly Named[] = [...syncBatchNorm, ...accumulated, ...unusedModules];
