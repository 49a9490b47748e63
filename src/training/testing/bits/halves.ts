/**
 * Models in half precision: weights, gradients, the optimiser's states and running statistics in bfloat16, and models
 * with a float32 master. A part of the table of parity/bits.test.ts.
 */
import type { ConfigInput } from '../../../protocol/config';
import { type Named, type NetName, withLayers, withNet } from './nets';

const alone = (name: string, net: NetName, more: ConfigInput = {}): Named =>
  withNet(`single, bfloat16, ${name}`, net, { precision: 'bf16', ...more });

const replicas = (name: string, net: NetName, more: ConfigInput = {}): Named =>
  withNet(`ddp, bfloat16, ${name}`, net, { mode: 'ddp', worldSize: 3, precision: 'bf16', ...more });

/** Several buckets, which begin in the middle of a word. */
const SMALL = { bucketCapMb: 0.00005 };

const single: readonly Named[] = [
  alone('mlp', 'mlp'),
  alone('mixed', 'mixed'),
  alone('cnn', 'cnn'),
  alone('gpt', 'gpt'),
  alone('gpt, fused', 'gpt', { fuse: true }),
  alone('mixed, checkpointed in 2 segments', 'mixed', { checkpointSegments: 2 }),
  alone('SGD, clipped by norm and value', 'mlp', {
    optimizer: { type: 'SGD', lr: 0.1, weightDecay: 0.01 },
    clipGradNorm: 0.3,
    clipGradValue: 0.02,
  }),
  alone('Nesterov, norm_type inf, accumulate 3', 'mlp', {
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9, nesterov: true },
    clipGradNorm: 0.05,
    clipGradNormType: 'inf',
    accumulate: 3,
  }),
  alone('Adam, norm_type 1, accumulate 2', 'mixed', {
    clipGradNorm: 0.2,
    clipGradNormType: 1,
    accumulate: 2,
  }),
  alone('AdamW, groups of parameters', 'mixed', {
    optimizer: { type: 'AdamW', lr: 0.01, weightDecay: 0.2 },
    paramGroups: [{ match: '*.bias', weightDecay: 0, lr: 0.05 }],
  }),
  alone('GradScaler', 'mlp', { gradScaler: { enabled: true, growthInterval: 4 }, clipGradNorm: 0.3 }),
  withLayers(
    'single, bfloat16, tied weights',
    [
      { type: 'Embedding', vocab: 5, width: 7, name: 'tok' },
      { type: 'Linear', in: 7, out: 5, bias: false, tied: 'tok.weight' },
    ],
    {
      precision: 'bf16',
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'Adam', lr: 0.01 },
      data: { type: 'sequence', task: 'reverse', samples: 40, length: 3, symbols: 4 },
      batchSize: 8,
    },
  ),
  ...(['bf16-master', 'fp16-master'] as const).map((precision) =>
    withNet(`single, mixed, ${precision}`, 'mixed', { precision }),
  ),
];

const ddp: readonly Named[] = [
  ...(['shared', 'workers'] as const).flatMap((placement) => [
    replicas(`mlp, ${placement}`, 'mlp', { placement, ddp: SMALL }),
    replicas(`mixed, ${placement}`, 'mixed', { placement }),
  ]),
  replicas('gpt', 'gpt', { worldSize: 2 }),
  replicas('a single device beside it', 'mixed', { compareSingle: true, worldSize: 2 }),
  replicas('SyncBatchNorm', 'cnn', { ddp: { syncBatchNorm: true } }),
  replicas('no_sync none, accumulate 2, clipped', 'mlp', {
    accumulate: 2,
    clipGradNorm: 0.2,
    ddp: { noSync: 'none', ...SMALL },
  }),
  replicas('join, uneven', 'mixed', { ddp: { join: true, samplesPerRank: [19, 11, 16] } }),
  replicas('join, divided by those that are left', 'mlp', {
    ddp: { join: true, samplesPerRank: [19, 11, 16], divideByInitialWorldSize: false, ...SMALL },
  }),
  replicas('halvingDoubling, no overlap', 'mixed', { ddp: { algorithm: 'halvingDoubling', overlap: false } }),
  withLayers(
    'ddp, bfloat16, a module that is not used',
    [
      { type: 'Linear', in: 3, out: 5 },
      { type: 'Tanh' },
      { type: 'Unused', layers: [{ type: 'Linear', in: 1, out: 3 }] },
      { type: 'Linear', in: 5, out: 1 },
    ],
    {
      mode: 'ddp',
      worldSize: 2,
      precision: 'bf16',
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9, weightDecay: 0.1 },
      data: { type: 'randomRegression', samples: 30, in: 3, out: 1 },
      batchSize: 8,
      ddp: { findUnusedParameters: true },
    },
  ),
];

export const HALF_RUNS: readonly Named[] = [...single, ...ddp];
