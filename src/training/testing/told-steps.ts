/** Runs whose steps between them have every sentence: each mode with all that changes what its ranks do. */
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import type { StepTrace } from '../../protocol/trace';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';

type Told = readonly [name: string, config: ConfigInput];

const NORM: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'BatchNorm1d', features: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 1 },
    ],
  },
};
const STEPS = 4;
/** Two buckets in the small net. */
const SMALL = 0.0002;

const ddp = (name: string, settings: ConfigInput['ddp'], more: ConfigInput = {}): Told => [
  `DDP, ${name}`,
  { mode: 'ddp', worldSize: 4, ...more, ddp: { bucketCapMb: SMALL, ...settings } },
];

/** Sixteen Linear layers: a stage for each of as many ranks. */
const DEEP: ConfigInput['model'] = { layers: mlpLayers([2, ...Array.from({ length: 15 }, () => 4), 1], 'Tanh') };
const pipeline = (name: string, more: ConfigInput): Told => [
  `pipeline, ${name}`,
  { mode: 'pipeline', batchSize: 32, data: { type: 'xor', samples: 64 }, model: DEEP, ...more },
];

export const TOLD: readonly Told[] = [
  ['one device', { mode: 'single' }],
  ['one device, accumulating, clipped', { mode: 'single', accumulate: 2, clipGradNorm: 1, clipGradValue: 1 }],
  ['DataParallel', { mode: 'dataParallel', worldSize: 4 }],
  ['DataParallel of two', { mode: 'dataParallel', worldSize: 2 }],
  ...ALGORITHM_NAMES.map((algorithm) => ddp(algorithm, { algorithm })),
  ddp('hierarchical on two nodes', { algorithm: 'hierarchical' }, { nodes: 2 }),
  ddp('hierarchical on uneven nodes', { algorithm: 'hierarchical' }, { worldSize: 5, nodes: 2 }),
  ddp('halving-doubling of six', { algorithm: 'halvingDoubling' }, { worldSize: 6 }),
  ddp('naive of three', { algorithm: 'naive' }, { worldSize: 3 }),
  ddp('of two', {}, { worldSize: 2 }),
  ddp('of one', {}, { worldSize: 1 }),
  ddp('of eight', {}, { worldSize: 8 }),
  ddp('one bucket per tensor', { bucketCapMb: 0.00001 }),
  ddp('no overlap', { overlap: false }),
  ddp('accumulating', {}, { accumulate: 2 }),
  ddp('clipped', {}, { clipGradNorm: 1, clipGradValue: 1 }),
  ddp('batch norm', {}, NORM),
  ddp('model in bfloat16', {}, { precision: 'bf16', clipGradNorm: 1, clipGradValue: 1, worldSize: 2 }),
  ddp('model in bfloat16, accumulating', {}, { precision: 'bf16', accumulate: 2, worldSize: 2 }),
  ddp('SyncBatchNorm', { syncBatchNorm: true }, NORM),
  ddp('fp16', { commHook: { type: 'fp16Compress' } }, { worldSize: 2 }),
  ddp('bf16', { commHook: { type: 'bf16Compress' }, algorithm: 'naive' }, { worldSize: 3 }),
  ddp('PowerSGD', { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5 } }, { worldSize: 2 }),
  ddp('local SGD', { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 1 } }, { worldSize: 2 }),
  ddp('unused parameters', { findUnusedParameters: true }, { worldSize: 2 }),
  ddp('join', { join: true, samplesPerRank: [19, 11, 16] }, { worldSize: 3 }),
  ['model parallel', { mode: 'modelParallel', worldSize: 3 }],
  ['model parallel of two, clipped', { mode: 'modelParallel', worldSize: 2, clipGradNorm: 1 }],
  pipeline('1F1B', { worldSize: 4 }),
  pipeline('GPipe', { worldSize: 2, pipeline: { schedule: 'GPipe', microBatches: 3 } }),
  pipeline('of one rank', { worldSize: 1 }),
  pipeline('1F1B of four, two replicas', { worldSize: 8, mesh: { dp: 2 } }),
  pipeline('1F1B of sixteen', { worldSize: 16, pipeline: { microBatches: 16 } }),
  pipeline('interleaved 1F1B', { worldSize: 2, pipeline: { schedule: 'Interleaved1F1B' } }),
  pipeline('zero bubble', { worldSize: 4, pipeline: { schedule: 'ZBVZeroBubble' } }),
  pipeline('without scale_grads, clipped', { worldSize: 2, clipGradNorm: 1, pipeline: { scaleGrads: false } }),
  ['parameter server', { mode: 'parameterServer', worldSize: 4 }],
  ['parameter server with one worker', { mode: 'parameterServer', worldSize: 2 }],
  [
    'parameter server, asynchronous',
    { mode: 'parameterServer', worldSize: 3, parameterServer: { synchronous: false, staleness: 0 } },
  ],
  [
    'parameter server, stale',
    { mode: 'parameterServer', worldSize: 3, parameterServer: { synchronous: false, staleness: 3 } },
  ],
  [
    'a GPT',
    {
      mode: 'ddp',
      worldSize: 2,
      batchSize: 4,
      model: {
        layers: [
          { type: 'TokenEmbedding', vocab: 4, context: 4, width: 8, name: '' },
          { type: 'TransformerBlock', width: 8, heads: 2, name: 'blocks.0' },
          { type: 'LayerNorm', features: 8, name: 'ln_f' },
          { type: 'Linear', in: 8, out: 4, bias: false, name: 'head' },
        ],
      },
      data: { type: 'text', text: 'abcdabcdaabbccddabcdabcd', context: 4 },
      loss: { type: 'CrossEntropyLoss' },
    },
  ],
];

/** The constructor where there is one, and the first steps. */
export async function toldSteps(config: ConfigInput): Promise<readonly StepTrace[]> {
  const input = {
    device: 'cpu',
    compareSingle: false,
    data: { type: 'xor', samples: 46 },
    batchSize: 12,
    ...config,
  } as const;
  const blueprint = createBlueprint(parseConfig(input), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const { construct } = sessionInfo(training);
  const traces: StepTrace[] = construct ? [construct] : [];
  for (let step = 0; step < STEPS; step++) traces.push(await training.trace());
  await training.dispose();
  return traces;
}
