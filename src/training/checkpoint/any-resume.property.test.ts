/**
 * Whatever configuration can run can be stopped anywhere and goes on from its files to the bit: over modes, optimizers,
 * schedules, parameter groups, clipping, hooks, micro-batches, join, SyncBatchNorm, dropout, layers without a gradient,
 * and placements.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { LockstepError } from '../../base/errors';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';

const OPTIMIZERS = [
  { type: 'SGD', lr: 0.1 },
  { type: 'SGD', lr: 0.1, momentum: 0.9, dampening: 0.1 },
  { type: 'Adam', lr: 0.01, amsgrad: true },
  { type: 'AdamW', lr: 0.01 },
  { type: 'RMSprop', momentum: 0.5, centered: true },
  { type: 'RMSprop' },
  { type: 'Adagrad', lrDecay: 0.01, initialAccumulatorValue: 0.1 },
  { type: 'Adadelta' },
  { type: 'Adamax' },
  { type: 'NAdam' },
  { type: 'RAdam' },
] as const satisfies readonly ConfigInput['optimizer'][];

const SCHEDULERS = [
  undefined,
  { type: 'StepLR', stepSize: 2, gamma: 0.5 },
  { type: 'ExponentialLR', gamma: 0.9, every: 'epoch' },
  { type: 'OneCycleLR', maxLr: 0.05, totalSteps: 40 },
  { type: 'CyclicLR', baseLr: 0.01, maxLr: 0.05, stepSizeUp: 3, cycleMomentum: false },
  { type: 'CyclicLR', baseLr: 0.01, maxLr: 0.05, stepSizeUp: 3 },
  { type: 'CosineAnnealingWarmRestarts', t0: 3 },
] as const satisfies readonly (ConfigInput['scheduler'] | undefined)[];

const HOOKS = [
  undefined,
  { type: 'fp16Compress' },
  { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.1 },
  { type: 'localSGD', period: 2, startLocalSGDIter: 2 },
] as const;

const Layers = fc
  .record({ norm: fc.boolean(), dropout: fc.boolean(), unused: fc.boolean() })
  .map(({ norm, dropout, unused }) => ({
    layers: [
      { type: 'Linear', in: 2, out: 3 },
      ...(norm ? [{ type: 'BatchNorm1d', features: 3 } as const] : []),
      { type: 'Tanh' },
      ...(dropout ? [{ type: 'Dropout', p: 0.25 } as const] : []),
      ...(unused ? [{ type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] } as const] : []),
      { type: 'Linear', in: 3, out: 1 },
    ],
  }));

const Ddp = fc.record(
  {
    findUnusedParameters: fc.boolean(),
    staticGraph: fc.boolean(),
    gradientAsBucketView: fc.boolean(),
    broadcastBuffers: fc.boolean(),
    syncBatchNorm: fc.boolean(),
    initSync: fc.boolean(),
    rankSeeds: fc.constantFrom('none', 'beforeModel', 'afterModel'),
    noSync: fc.constantFrom('both', 'forward', 'backward', 'none'),
    commHook: fc.constantFrom(...HOOKS.filter((hook) => hook !== undefined)),
    join: fc.boolean(),
    samplesPerRank: fc.constantFrom([20, 12], [16, 16]),
    bucketCapMb: fc.constantFrom(0.00002, 25),
  },
  { requiredKeys: [] },
);

const Run = fc.record({
  model: Layers,
  mode: fc.constantFrom(
    'single',
    'dataParallel',
    'ddp',
    'ddp',
    'ddp',
    'modelParallel',
    'pipeline',
    'tensor',
    'parameterServer',
  ),
  mesh: fc.constantFrom({}, { dp: 2 }),
  pipeline: fc.record({
    schedule: fc.constantFrom('GPipe', '1F1B'),
    microBatches: fc.constantFrom(2, 3),
    scaleGrads: fc.boolean(),
  }),
  optimizer: fc.constantFrom(...OPTIMIZERS),
  scheduler: fc.constantFrom(...SCHEDULERS),
  paramGroups: fc.constantFrom(
    [],
    [{ match: '*.bias', weightDecay: 0.01 }],
    [{ match: '0.*', lr: 0.02 }],
    [{ match: '*.bias', momentum: 0.5 }],
  ),
  clipGradNorm: fc.constantFrom(undefined, 0.5),
  clipGradNormType: fc.constantFrom(undefined, 1, 'inf'),
  clipGradValue: fc.constantFrom(undefined, 0.05),
  accumulate: fc.constantFrom(1, 1, 2, 3),
  placement: fc.constantFrom('shared', 'workers'),
  shuffle: fc.boolean(),
  dropLast: fc.boolean(),
  epochs: fc.constantFrom(undefined, 3),
  compareSingle: fc.boolean(),
  ddp: Ddp,
  parameterServer: fc.record({ synchronous: fc.boolean(), staleness: fc.constantFrom(0, 1, 2) }),
  seed: fc.constantFrom(0, 7),
});

const configOf = (given: unknown): ConfigInput =>
  // Absent settings are left out, as in a file.
  JSON.parse(
    JSON.stringify({
      device: 'cpu',
      worldSize: 2,
      batchSize: 12,
      data: { type: 'xor', samples: 44, testFraction: 0 },
      ...(given as object),
    }),
  );

/** Micro-batches until the script ends; undefined: it is refused before it begins. */
function length(config: ConfigInput): number | undefined {
  try {
    return createBlueprint(parseConfig(config), {}).stop?.microBatch ?? Number.POSITIVE_INFINITY;
  } catch (error) {
    if (error instanceof LockstepError && error.code !== 'internal') return undefined;
    throw error;
  }
}

test('every run can be stopped anywhere and resumed to the same bits', {
  timeout: 120_000,
  ...place({ rest: 'resume.test.ts and checkpoint.test.ts stop and resume at chosen places' }),
}, async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(Run, fc.nat(9), fc.integer({ min: 1, max: 5 }), async (given, at, more) => {
      const config = configOf(given);
      const end = length(config);
      fc.pre(end !== undefined && at < end);
      runs++;
      const count = Math.min(more, (end ?? 0) - at);
      const straight = await withTraining(config, {}, async (t) => {
        if (at > 0) await t.run(at);
        const before = await stateOf(t);
        return { before, losses: await t.run(count), after: await stateOf(t) };
      });
      const files = await savedAfter(config, at);
      const resumed = await withTraining({ ...config, resume: 'run' }, files, async (t) => {
        expect(t.blueprint.notices.find(({ id }) => id === 'resumed')?.text).toMatch(SAME_BITS);
        const before = await stateOf(t);
        return { before, losses: await t.run(count), after: await stateOf(t) };
      });
      expect(resumed).toEqual(straight);
    }),
    { numRuns: Number(process.env['LOCKSTEP_RUNS'] ?? 60), seed: Number(process.env['LOCKSTEP_SEED'] ?? 9) },
  );
  expect(runs).toBeGreaterThanOrEqual(60);
});

test('a layer without a gradient: its parameters have no state in the file, as in torch, and the run goes on', async () => {
  for (const optimizer of OPTIMIZERS) {
    const config = configOf({
      mode: 'ddp',
      ddp: { findUnusedParameters: true },
      optimizer,
      model: {
        layers: [
          { type: 'Linear', in: 2, out: 3 },
          { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
          { type: 'Linear', in: 3, out: 1 },
        ],
      },
    });
    const files = await savedAfter(config, 3);
    const losses = await withTraining({ ...config, resume: 'run' }, files, async (t) => t.run(2));
    const straight = await withTraining(config, {}, async (t) => (await t.run(5)).slice(3));
    expect(losses, optimizer.type).toEqual(straight);
  }
});
