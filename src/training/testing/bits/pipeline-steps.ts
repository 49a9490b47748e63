/**
 * What a pipeline does beside its schedule: clipping over stages, checkpoint segments, optimisers, weights that stages
 * share, schedules of one's own. A part of the table of parity/bits.test.ts.
 */
import type { ConfigInput } from '../../../protocol/config';
import { SCHEDULE_NAMES } from '../../../protocol/pipeline';
import { type Named, withLayers } from './nets';
import { EIGHT_LAYERS, piped } from './pipelines';
import { DEFAULTS } from './updates';

const xor: ConfigInput = {
  data: { type: 'xor', samples: 46 },
  batchSize: 12,
  mesh: { pp: 2 },
  pipeline: { microBatches: 4 },
};
const run = (name: string, config: ConfigInput): Named =>
  withLayers(`pipeline, ${name}`, EIGHT_LAYERS, piped({ ...xor, ...config }));

const CLIPS = {
  'norm 0.02': { clipGradNorm: 0.02 },
  'norm 1 of 0.02': { clipGradNorm: 0.02, clipGradNormType: 1 },
  'largest value 0.01': { clipGradNorm: 0.01, clipGradNormType: 'inf' },
  'value 0.001': { clipGradValue: 0.001 },
  'norm and value': { clipGradNorm: 0.05, clipGradValue: 0.002 },
} as const satisfies Record<string, ConfigInput>;

const clipping: readonly Named[] = Object.entries(CLIPS).flatMap(([name, clip]) => [
  run(`three ranks, clipped by ${name}`, { mesh: { pp: 3 }, ...clip }),
  run(`replicas, clipped by ${name}`, { mesh: { pp: 2, dp: 2 }, pipeline: { microBatches: 3 }, ...clip }),
  run(`ZBVZeroBubble, clipped by ${name}`, { pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4 }, ...clip }),
]);

const checkpoints: readonly Named[] = [
  ...SCHEDULE_NAMES.map((schedule) =>
    run(`${schedule}, checkpointed in 2 segments`, { checkpointSegments: 2, pipeline: { schedule, microBatches: 4 } }),
  ),
  run('replicas, checkpointed in 3 segments', { checkpointSegments: 3, mesh: { pp: 2, dp: 2 } }),
];

const optimizers: readonly Named[] = [
  ...DEFAULTS.map((optimizer) => run(`three ranks, ${optimizer.type}`, { mesh: { pp: 3 }, optimizer })),
  run('groups of parameters', {
    paramGroups: [
      { match: '*.bias', weightDecay: 0, lr: 0.05 },
      { match: '4.*', lr: 0.2 },
    ],
  }),
  run('replicas, OneCycleLR', {
    mesh: { pp: 2, dp: 2 },
    scheduler: { type: 'OneCycleLR', maxLr: 0.4, totalSteps: 20 },
  }),
];

/** The last stage uses the first one's embedding. */
const tied = (name: string, config: ConfigInput): Named =>
  withLayers(
    `pipeline, tied weights, ${name}`,
    [
      { type: 'TokenEmbedding', vocab: 5, context: 7, width: 8, name: '' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'LayerNorm', features: 8 },
      { type: 'Linear', in: 8, out: 5, bias: false, tied: 'tok.weight' },
    ],
    piped({
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'Adam', lr: 0.01 },
      data: { type: 'sequence', task: 'reverse', samples: 40, length: 3, symbols: 4 },
      batchSize: 8,
      ...config,
    }),
  );

const ties: readonly Named[] = [
  tied('two ranks', { mesh: { pp: 2 }, pipeline: { microBatches: 4 } }),
  tied('one rank has both', { mesh: { pp: 2 }, pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4 } }),
  tied('replicas', { mesh: { pp: 2, dp: 2 }, pipeline: { microBatches: 2 }, clipGradNorm: 0.2 }),
  tied('replicas, one rank has both', {
    mesh: { pp: 2, dp: 2 },
    pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4 },
    clipGradNorm: 0.2,
  }),
];

const orders: readonly Named[] = [
  run('its own schedule', {
    pipeline: { schedule: 'own', microBatches: 2, actions: '0F0,0F1,0B1,0B0\n1F0,1F1,1B1,1B0' },
  }),
  run('its own schedule in halves', {
    pipeline: { schedule: 'own', microBatches: 2, actions: '0F0,0F1,0I0,0I1,0W1,0W0\n1F0,1I0,1F1,1I1,1W0,1W1' },
  }),
  run('LoopedBFS, three stages per rank', { pipeline: { schedule: 'LoopedBFS', stagesPerRank: 3, microBatches: 2 } }),
  run('Interleaved1F1B, four stages per rank', {
    pipeline: { schedule: 'Interleaved1F1B', stagesPerRank: 4, microBatches: 4 },
  }),
  run('InterleavedZeroBubble, a short last batch', {
    dropLast: false,
    pipeline: { schedule: 'InterleavedZeroBubble', microBatches: 4 },
  }),
  run('one rank', { mesh: { pp: 1 }, pipeline: { microBatches: 3 } }),
];

export const PIPELINE_STEP_RUNS: readonly Named[] = [...clipping, ...checkpoints, ...optimizers, ...ties, ...orders];
