/**
 * DDP around the stages of a pipeline is DDP: a pipeline with one rank per replica and one micro-batch has the bits of
 * mode ddp, setting by setting; and with more stages a setting changes what it changes in mode ddp.
 *
 * @module-tag rest: pipeline.test.ts and three-axes.test.ts train replicas of pipelines; worlds.test.ts and script-
 * losses.test.ts hold the settings of DDP.
 */
import { describe, expect, test } from 'vitest';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';

const LAYERS = [
  { type: 'Linear' as const, in: 2, out: 8 },
  { type: 'Tanh' as const },
  { type: 'Linear' as const, in: 8, out: 6 },
  { type: 'Tanh' as const },
  { type: 'Linear' as const, in: 6, out: 1 },
];

const base = (ddp: ConfigInput['ddp']): ConfigInput => ({
  device: 'cpu',
  data: { type: 'xor', samples: 64 },
  batchSize: 24,
  steps: 7,
  seed: 3,
  compareSingle: false,
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  model: { layers: LAYERS },
  // One sum whatever the order of a bucket: mode ddp has another bucket in its first step.
  ddp: { algorithm: 'naive', bucketCapMb: 0.0001, ...ddp },
});

const SETTINGS: readonly NonNullable<ConfigInput['ddp']>[] = [
  {},
  { bucketCapMb: 1 },
  { overlap: false },
  { algorithm: 'ring' },
  { gradientAsBucketView: true },
  { gradientAsBucketView: true, overlap: false },
  { findUnusedParameters: true },
  { findUnusedParameters: true, gradientAsBucketView: true },
  { commHook: { type: 'fp16Compress' } },
  { commHook: { type: 'bf16Compress' } },
  { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 2 } },
  { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 1 } },
  {
    commHook: {
      type: 'powerSGD',
      startPowerSGDIter: 2,
      minCompressionRate: 1,
      matrixApproximationRank: 2,
      warmStart: false,
    },
  },
  { samplerSeed: 4 },
  { setEpoch: false },
];

describe.each(SETTINGS)('%o', (ddp) => {
  test.each([2, 3])('%i replicas of one rank have the bits of mode ddp', async (worldSize) => {
    const of = async (more: ConfigInput) =>
      (await runConfig({ ...base(ddp), ...(worldSize === 3 ? { batchSize: 12 } : {}), ...more }, {})).report;
    // PowerSGD draws for each bucket, and the pipeline's script passes find_unused_parameters whatever the setting is.
    const search = ddp?.commHook?.type === 'powerSGD' ? { ddp: { ...base(ddp).ddp, findUnusedParameters: true } } : {};
    const plain = await of({ mode: 'ddp', worldSize, ...search });
    for (const placement of ['shared', 'workers'] as const) {
      const piped = await of({
        mode: 'pipeline',
        worldSize,
        mesh: { pp: 1, dp: worldSize },
        pipeline: { microBatches: 1 },
        placement,
      });
      expect(piped.error).toBeUndefined();
      expect(piped.weightsSha256).toBe(plain.weightsSha256);
      expect(piped.bytes.perRank).toEqual(plain.bytes.perRank);
    }
  });
});

const pipelined = (ddp: ConfigInput['ddp'], more: ConfigInput = {}): ConfigInput => ({
  ...base(ddp),
  mode: 'pipeline',
  worldSize: 4,
  mesh: { pp: 2, dp: 2 },
  pipeline: { microBatches: 3 },
  ...more,
});

const weightsOf = async (config: ConfigInput): Promise<string> => {
  const { report } = await runConfig(config, {});
  expect(report.error).toBeUndefined();
  return report.weightsSha256 ?? '';
};

const TWO_STAGES_EACH = { pipeline: { schedule: 'Interleaved1F1B', microBatches: 4 }, batchSize: 16 } as const;
const DEEP: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 6 },
      { type: 'Tanh' },
      { type: 'Linear', in: 6, out: 1 },
    ],
  },
};

describe.each([{}, { ...TWO_STAGES_EACH, ...DEEP }])('two stages, and two stages on each rank', (more) => {
  test('gradient_as_bucket_view and find_unused_parameters: the bits of the run without them', async () => {
    const plain = await weightsOf(pipelined({}, more));
    expect(await weightsOf(pipelined({ gradientAsBucketView: true }, more))).toBe(plain);
    expect(await weightsOf(pipelined({ findUnusedParameters: true }, more))).toBe(plain);
  });

  test.each([
    { commHook: { type: 'fp16Compress' } },
    { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 1 } },
    { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 2 } },
  ] as const)('%o trains, on one bus and in workers, to other weights', async (ddp) => {
    const plain = await weightsOf(pipelined({}, more));
    const shared = await weightsOf(pipelined(ddp, more));
    expect(shared).not.toBe(plain);
    expect(await weightsOf({ ...pipelined(ddp, more), placement: 'workers' })).toBe(shared);
  });
});

describe.each(['GPipe', '1F1B'] as const)('PowerSGD with %s, without find_unused_parameters', (schedule) => {
  const powerSGD = { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 1 } } as const;
  const own = { pipeline: { schedule, microBatches: 4 } };
  const searching = { ...powerSGD, findUnusedParameters: true };

  test('the run has the settings that the user gave', async () => {
    const { report } = await runConfig(pipelined(powerSGD, own), {});
    expect(report.config.ddp.findUnusedParameters).toBe(false);
    const { report: other } = await runConfig(pipelined(searching, own), {});
    expect(other.config.ddp.findUnusedParameters).toBe(true);
  });

  test('the script of GPipe passes it, so the weights are those of a run with the setting', async () => {
    const weights = await weightsOf(pipelined(powerSGD, own));
    const found = await weightsOf(pipelined(searching, own));
    expect(weights === found).toBe(schedule === 'GPipe');
  });
});

const withNorm = [...LAYERS.slice(0, 1), { type: 'BatchNorm1d' as const, features: 8 }, ...LAYERS.slice(1)];

test('SyncBatchNorm over replicas: the bits of mode ddp, and with two stages it trains in workers, too', async () => {
  const model: ConfigInput = { model: { layers: withNorm } };
  const synced = { syncBatchNorm: true };
  const local = { broadcastBuffers: false };
  const plain = await weightsOf({ ...base({ ...synced, ...local }), ...model, mode: 'ddp', worldSize: 2 });
  const alone = { mesh: { pp: 1, dp: 2 }, worldSize: 2, pipeline: { microBatches: 1 } };
  expect(await weightsOf(pipelined(synced, { ...model, ...alone }))).toBe(plain);
  expect(await weightsOf(pipelined({}, { ...model, ...alone }))).not.toBe(plain);
  const shared = await weightsOf(pipelined(synced, model));
  expect(await weightsOf({ ...pipelined(synced, model), placement: 'workers' })).toBe(shared);
});

/** A batch norm in three of four stages. */
const NORMS: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 8 },
    { type: 'BatchNorm1d', features: 8 },
    { type: 'Tanh' },
    { type: 'Linear', in: 8, out: 6 },
    { type: 'BatchNorm1d', features: 6 },
    { type: 'Tanh' },
    { type: 'Linear', in: 6, out: 6 },
    { type: 'BatchNorm1d', features: 6 },
    { type: 'Linear', in: 6, out: 1 },
  ],
};

test.each([
  ['Interleaved1F1B', 4],
  ['InterleavedZeroBubble', 4],
  ['ZBVZeroBubble', 4],
  ['DualPipeV', 4],
  // Its backward passes take the micro-batches in reverse, so the order of a sum of more than two changes its bits.
  ['LoopedBFS', 2],
] as const)('SyncBatchNorm with two stages on each rank, %s: the bits of GPipe', async (schedule, microBatches) => {
  const weights = (pipeline: ConfigInput['pipeline'], more: ConfigInput = {}, syncBatchNorm = true) =>
    weightsOf(
      pipelined({ syncBatchNorm }, { model: NORMS, batchSize: 32, pipeline: { microBatches, ...pipeline }, ...more }),
    );
  const [usual, local] = [await weights({ schedule: 'GPipe' }), await weights({ schedule }, {}, false)];
  expect(local).not.toBe(usual);
  expect(await weights({ schedule })).toBe(usual);
  expect(await weights({ schedule }, { placement: 'workers' })).toBe(usual);
});

test('a layer that forward does not use: its parameters stay, with and without find_unused_parameters', async () => {
  const layers: ConfigInput = {
    model: {
      layers: [
        ...LAYERS.slice(0, 2),
        { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
        ...LAYERS.slice(2),
      ],
    },
  };
  const plain = await weightsOf(pipelined({}, layers));
  expect(await weightsOf(pipelined({ findUnusedParameters: true }, layers))).toBe(plain);
  expect(await weightsOf(pipelined({ findUnusedParameters: true, gradientAsBucketView: true }, layers))).toBe(plain);
});
