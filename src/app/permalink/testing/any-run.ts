/** Random runs and views for properties of links: every layer, loss, optimiser, schedule, data set and panel. */
import fc from 'fast-check';
import * as v from 'valibot';
import { EXHIBIT_IDS } from '../../../museum/mistakes';
import { ALGORITHM_NAMES, COLLECTIVE_OPS, REDUCE_OPS } from '../../../protocol/collective';
import { type Config, configSchema, HARDWARE, MODES } from '../../../protocol/config';
import { LAYOUTS, STYLE_NAMES } from '../../../protocol/config/tensor';
import { PAGE_PRESETS, PRESET_NAMES } from '../../edit/page-presets';
import { DEFAULT_LAB, withLab } from '../lab-link';
import { PART_NAMES } from '../page-parts';
import { EXAMPLE_IDS } from '../recording-link';
import { count, layer, maybe, name, plain, real } from './any-layers';

const toy = fc.record({
  type: fc.constantFrom('circle', 'xor', 'gauss', 'spiral', 'plane'),
  samples: count(2, 100_000),
  noise: real(0, 1),
  testFraction: real(0, 0.9),
});
const fraction = { testFraction: real(0, 0.9) };
const data = fc.oneof(
  toy,
  fc.record({ type: fc.constant('randomRegression'), samples: count(2, 9999), in: count(1, 99), out: count(1, 99) }),
  fc.record({
    type: fc.constant('prototypes'),
    samples: count(2, 9999),
    classes: count(2, 99),
    features: count(1, 99),
    size: maybe(count(2, 64)),
  }),
  fc.record({
    type: fc.constantFrom('digits', 'shapes'),
    samples: count(2, 9999),
    size: count(8, 64),
    noise: real(0, 1),
    ...fraction,
  }),
  fc.record({
    type: fc.constant('sequence'),
    task: fc.constantFrom('sort', 'reverse', 'copy', 'modularAddition', 'parity'),
    samples: count(2, 9999),
    length: count(1, 99),
    symbols: count(2, 99),
    ...fraction,
  }),
  fc.record({
    type: fc.constant('text'),
    file: maybe(name),
    text: maybe(fc.string({ minLength: 2, maxLength: 40 })),
    context: count(1, 99),
    stride: maybe(count(1, 99)),
    ...fraction,
  }),
  fc.record(
    {
      type: fc.constant('csv'),
      file: name,
      target: fc.oneof(name, count(0, 99)),
      header: fc.constantFrom('auto', 'no'),
    },
    { requiredKeys: ['type', 'file'] },
  ),
  fc.record({ type: fc.constant('npy'), inputs: name, targets: name, ...fraction }),
  fc.record({ type: fc.constant('idx'), images: name, labels: name, ...fraction }),
  fc.record({ type: fc.constant('png'), zip: maybe(name), size: count(8, 64), color: fc.boolean(), ...fraction }),
);
const moments = {
  lr: real(0, 100),
  beta1: real(0, 0.99),
  beta2: real(0, 0.99),
  eps: real(0, 1),
  weightDecay: real(0, 10),
  maximize: fc.boolean(),
};
const decay = { lr: real(0, 100), weightDecay: real(0, 10), maximize: fc.boolean() };
const optimizer = fc.oneof(
  fc.record({
    type: fc.constant('SGD'),
    lr: real(0, 100),
    momentum: real(0, 1),
    dampening: real(0, 1),
    weightDecay: real(0, 10),
    nesterov: fc.boolean(),
    maximize: fc.boolean(),
  }),
  fc.record({ type: fc.constant('AdamW'), ...moments, amsgrad: fc.boolean() }),
  fc.record({ type: fc.constant('Adam'), ...moments, amsgrad: fc.boolean(), decoupledWeightDecay: fc.boolean() }),
  fc.record({
    type: fc.constant('RMSprop'),
    ...decay,
    alpha: real(0, 0.99),
    momentum: real(0, 1),
    centered: fc.boolean(),
  }),
  fc.record({ type: fc.constant('Adagrad'), ...decay, lrDecay: real(0, 10), initialAccumulatorValue: real(0, 1000) }),
  fc.record({ type: fc.constant('Adadelta'), ...decay, rho: real(0, 0.99), eps: real(0, 1) }),
  fc.record({ type: fc.constant('Adamax'), ...moments }),
  fc.record({ type: fc.constant('NAdam'), ...moments, momentumDecay: real(0, 1), decoupledWeightDecay: fc.boolean() }),
  fc.record({ type: fc.constant('RAdam'), ...moments, decoupledWeightDecay: fc.boolean() }),
);
const simpleScheduler = fc.oneof(
  fc.record({
    type: fc.constant('StepLR'),
    stepSize: count(1, 999),
    gamma: real(0, 10),
    every: fc.constantFrom('step', 'epoch'),
  }),
  fc.record({ type: fc.constant('MultiStepLR'), milestones: fc.array(count(1, 999), { minLength: 1, maxLength: 5 }) }),
  fc.record({
    type: fc.constant('OneCycleLR'),
    maxLr: real(0, 100),
    totalSteps: count(1, 999),
    threePhase: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('CyclicLR'),
    baseLr: real(0, 1),
    maxLr: real(0, 1),
    mode: fc.constantFrom('triangular', 'exp_range'),
  }),
  fc.record({ type: fc.constant('WarmupCosine'), warmupSteps: count(0, 99), totalSteps: count(1, 999) }),
);
const scheduler = fc.oneof(
  simpleScheduler,
  fc.record({
    type: fc.constant('SequentialLR'),
    schedulers: fc.array(simpleScheduler, { minLength: 2, maxLength: 3 }),
    milestones: fc.array(count(1, 999), { minLength: 1, maxLength: 2 }),
  }),
);
const reduction = fc.constantFrom('mean', 'sum');
const weights = maybe(fc.array(real(0, 1000), { minLength: 1, maxLength: 4 }));
const loss = fc.oneof(
  fc.record({ type: fc.constantFrom('MSELoss', 'L1Loss'), reduction }),
  fc.record({ type: fc.constant('BCEWithLogitsLoss'), reduction, posWeight: weights }),
  fc.record({
    type: fc.constant('CrossEntropyLoss'),
    reduction,
    labelSmoothing: maybe(real(0, 1)),
    ignoreIndex: maybe(fc.integer({ min: -200, max: 200 })),
    classWeights: weights,
  }),
  fc.record({ type: fc.constant('HuberLoss'), reduction, delta: real(0.01, 1000) }),
  fc.record({ type: fc.constant('SmoothL1Loss'), reduction, beta: real(0, 1000) }),
  fc.record({
    type: fc.constant('NLLLoss'),
    reduction,
    ignoreIndex: fc.integer({ min: -200, max: 200 }),
    classWeights: weights,
  }),
);
const preset = fc.constantFrom(...PRESET_NAMES).map((chosen) => [...PAGE_PRESETS[chosen].model.layers]);

const commHook = fc.oneof(
  fc.record({ type: fc.constantFrom('allreduce', 'fp16Compress', 'bf16Compress') }),
  fc.record({ type: fc.constant('powerSGD'), matrixApproximationRank: count(1, 64), warmStart: fc.boolean() }),
  fc.record({ type: fc.constant('localSGD'), period: count(1, 99), startLocalSGDIter: count(0, 99) }),
);
const straggler = fc.oneof(
  fc.record({ type: fc.constant('rank'), rank: count(0, 15), factor: real(1, 1000) }),
  fc.record({ type: fc.constant('link'), from: count(0, 15), to: count(0, 15), factor: real(1, 1000) }),
);
const tensorLayout = maybe(fc.constantFrom(...LAYOUTS));
const style = fc.oneof(
  fc.constantFrom(...STYLE_NAMES),
  fc.record({
    style: fc.constantFrom(...STYLE_NAMES),
    inputLayouts: tensorLayout,
    desiredInputLayouts: tensorLayout,
    outputLayouts: tensorLayout,
    desiredOutputLayouts: tensorLayout,
    useLocalOutput: maybe(fc.boolean()),
  }),
);
export const anyConfig: fc.Arbitrary<Config> = fc
  .record({
    model: fc.oneof(plain, preset, fc.array(layer, { minLength: 1, maxLength: 5 })).map((layers) => ({ layers })),
    loss,
    optimizer,
    paramGroups: fc.array(fc.record({ match: name, lr: maybe(real(0, 100)), weightDecay: maybe(real(0, 10)) }), {
      maxLength: 2,
    }),
    scheduler: maybe(scheduler),
    clipGradNorm: maybe(real(0, 1e9)),
    clipGradNormType: maybe(fc.oneof(real(0.5, 16), fc.constant('inf'))),
    clipGradValue: maybe(real(0, 1e9)),
    accumulate: count(1, 256),
    fuse: fc.boolean(),
    checkpointSegments: maybe(count(1, 64)),
    data,
    batchSize: count(1, 8192),
    shuffle: fc.boolean(),
    dropLast: fc.boolean(),
    steps: count(1, 10_000),
    epochs: maybe(count(1, 99)),
    seed: count(0, 4294967295),
    mode: fc.constantFrom(...MODES),
    worldSize: count(1, 64),
    placement: fc.constantFrom('shared', 'workers'),
    device: fc.constantFrom('auto', 'webgpu', 'cpu'),
    ddp: fc.record({
      bucketCapMb: maybe(real(0.00001, 4096)),
      algorithm: fc.constantFrom(...ALGORITHM_NAMES),
      overlap: fc.boolean(),
      samplerSeed: count(0, 999),
      findUnusedParameters: fc.boolean(),
      staticGraph: fc.boolean(),
      gradientAsBucketView: fc.boolean(),
      initSync: fc.boolean(),
      broadcastBuffers: fc.boolean(),
      commHook,
      syncBatchNorm: fc.boolean(),
      setEpoch: fc.boolean(),
      rankSeeds: fc.constantFrom('same', 'beforeModel', 'afterModel'),
      noSync: fc.constantFrom('both', 'forward', 'backward', 'none'),
      samplesPerRank: maybe(fc.array(count(0, 999), { maxLength: 8 })),
      join: fc.boolean(),
      divideByInitialWorldSize: fc.boolean(),
    }),
    tensor: fc.record({
      plan: maybe(fc.dictionary(fc.constantFrom('0', '2', 'head', 'blocks.*.qkv', 'blocks.0.ln1'), style)),
      lossParallel: maybe(fc.boolean()),
    }),
    parameterServer: fc.record({ synchronous: fc.boolean(), staleness: count(0, 64) }),
    nodes: count(1, 16),
    visibleDevices: maybe(fc.array(count(0, 15), { maxLength: 8 })),
    adapters: maybe(
      fc.array(fc.constantFrom('highPerformance', 'lowPower', 'software', 'cpu'), { minLength: 1, maxLength: 8 }),
    ),
    timeoutS: real(0.1, 86_400),
    maxRestarts: count(0, 100),
    stragglers: fc.array(straggler, { maxLength: 4 }),
    resume: maybe(name),
    resumeBy: fc.constantFrom('everyRank', 'rank0'),
    modelParallel: fc.record({ split: maybe(fc.array(count(1, 9), { minLength: 1, maxLength: 8 })) }),
    hardware: fc.constantFrom(...HARDWARE),
    memoryBudgetMb: real(0.001, 1_000_000),
    compareSingle: fc.boolean(),
    weights: maybe(name),
  })
  // JSON removes undefined values, so they become absent settings.
  .map((raw) => v.parse(configSchema, JSON.parse(JSON.stringify(raw))));

export const anyView = fc.record({
  theme: fc.constantFrom('light' as const, 'dark' as const, 'system' as const),
  embed: fc.boolean(),
  hide: fc.subarray([...PART_NAMES]).map((parts) => new Set<string>(parts)),
  lock: fc.subarray([...PART_NAMES]).map((parts) => new Set<string>(parts)),
  exhibit: maybe(fc.record({ id: fc.constantFrom(...EXHIBIT_IDS), cured: fc.boolean() })),
  lab: maybe(
    fc
      .record({
        type: fc.constantFrom(...COLLECTIVE_OPS),
        reduce: fc.constantFrom(...REDUCE_OPS),
        algorithm: fc.constantFrom(...ALGORITHM_NAMES),
        ranks: fc.integer({ min: 1, max: 16 }),
        length: fc.integer({ min: 0, max: 1000 }),
        latencyUs: fc.integer({ min: 0, max: 100 }),
        gbPerS: fc.constantFrom(0.5, 1.25, 300),
        round: fc.integer({ min: 0, max: 30 }),
      })
      .map((part) => withLab(DEFAULT_LAB, part)),
  ),
  beside: fc.constantFrom(undefined, 'mode:single,bucket:25', 'file:a%2Cb'),
  recording: fc.constantFrom(undefined, ...EXAMPLE_IDS),
});
