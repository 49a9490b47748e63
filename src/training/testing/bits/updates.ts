/**
 * Optimisers with their options, parameter groups, clipping and schedules of the learning rate.
 * A part of the table of parity/bits.test.ts.
 */
import type { ConfigInput } from '../../../protocol/config';
import { type Named, withNet } from './nets';

type Optimizer = NonNullable<ConfigInput['optimizer']>;
type Scheduler = NonNullable<ConfigInput['scheduler']>;

const words = (fields: object): string =>
  Object.entries(fields)
    .map(([key, value]) => (key === 'type' ? String(value) : `${key} ${JSON.stringify(value)}`))
    .join(' ');

/** Every optimiser with its defaults. */
export const DEFAULTS: readonly Optimizer[] = [
  { type: 'SGD' },
  { type: 'Adam' },
  { type: 'AdamW' },
  { type: 'RMSprop' },
  { type: 'Adagrad' },
  { type: 'Adadelta' },
  { type: 'Adamax' },
  { type: 'NAdam' },
  { type: 'RAdam' },
];

const OPTIONS: readonly Optimizer[] = [
  { type: 'SGD', momentum: 0.9, nesterov: true },
  { type: 'SGD', momentum: 0.8, dampening: 0.3, weightDecay: 0.01 },
  { type: 'SGD', lr: 0.01, maximize: true },
  { type: 'Adam', lr: 0.01, amsgrad: true, weightDecay: 0.1 },
  { type: 'Adam', beta1: 0.5, beta2: 0.9, eps: 1e-4, maximize: true },
  { type: 'AdamW', lr: 0.01, amsgrad: true, weightDecay: 0.2 },
  { type: 'RMSprop', alpha: 0.9, momentum: 0.9, centered: true },
  { type: 'RMSprop', weightDecay: 0.05, maximize: true },
  { type: 'Adagrad', lr: 0.1, lrDecay: 0.1, initialAccumulatorValue: 0.5 },
  { type: 'Adadelta', rho: 0.8, weightDecay: 0.01 },
  { type: 'Adamax', lr: 0.01, weightDecay: 0.1 },
  { type: 'NAdam', lr: 0.01, momentumDecay: 0.1, weightDecay: 0.01 },
  { type: 'RAdam', lr: 0.01, weightDecay: 0.01 },
  { type: 'Adam', lr: 0.01, weightDecay: 0.1, decoupledWeightDecay: true },
  { type: 'NAdam', lr: 0.01, weightDecay: 0.1, decoupledWeightDecay: true, maximize: true },
  { type: 'RAdam', lr: 0.01, weightDecay: 0.1, decoupledWeightDecay: true, maximize: true },
];

const optimizers: readonly Named[] = [
  ...DEFAULTS.map((optimizer) => withNet(`single, ${words(optimizer)}`, 'mlp', { optimizer })),
  ...DEFAULTS.map((optimizer) => withNet(`ddp, ${words(optimizer)}`, 'mlp', { mode: 'ddp', worldSize: 2, optimizer })),
  ...DEFAULTS.map((optimizer) =>
    withNet(`parameterServer, asynchronous, ${words(optimizer)}`, 'mlp', {
      mode: 'parameterServer',
      worldSize: 3,
      parameterServer: { synchronous: false },
      optimizer,
    }),
  ),
  ...OPTIONS.map((optimizer) => withNet(`single, ${words(optimizer)}`, 'mlp', { optimizer })),
];

const groups: readonly Named[] = (['single', 'ddp', 'modelParallel', 'parameterServer'] as const).map((mode) =>
  withNet(`${mode}, groups of parameters`, 'mixed', {
    mode,
    worldSize: 2,
    paramGroups: [
      { match: '*.bias', weightDecay: 0, lr: 0.05 },
      { match: '4.*', beta1: 0.5, amsgrad: true },
    ],
  }),
);

const clipping: readonly Named[] = (
  [
    { clipGradNorm: 0.2 },
    { clipGradNorm: 0.2, clipGradNormType: 1 },
    { clipGradNorm: 0.05, clipGradNormType: 'inf' },
    { clipGradValue: 0.01 },
    { clipGradNorm: 0.3, clipGradValue: 0.02 },
  ] satisfies readonly ConfigInput[]
).flatMap((clip) =>
  (['single', 'dataParallel', 'ddp', 'modelParallel'] as const).map((mode) =>
    withNet(`${mode}, ${words(clip)}`, 'mlp', { mode, worldSize: 2, ...clip }),
  ),
);

const SCHEDULERS: readonly Scheduler[] = [
  { type: 'StepLR', stepSize: 4, gamma: 0.5 },
  { type: 'MultiStepLR', milestones: [3, 9] },
  { type: 'ExponentialLR', gamma: 0.9 },
  { type: 'CosineAnnealingLR', tMax: 8, etaMin: 0.01 },
  { type: 'CosineAnnealingWarmRestarts', t0: 4, tMult: 2 },
  { type: 'LinearLR', totalIters: 10 },
  { type: 'ConstantLR' },
  { type: 'PolynomialLR', totalIters: 15, power: 2 },
  { type: 'OneCycleLR', maxLr: 0.5, totalSteps: 20 },
  { type: 'OneCycleLR', maxLr: 0.5, totalSteps: 20, annealStrategy: 'linear', threePhase: true },
  { type: 'CyclicLR', baseLr: 0.01, maxLr: 0.2, stepSizeUp: 5, mode: 'exp_range', gamma: 0.95 },
  { type: 'WarmupInverseSqrt', warmupSteps: 6 },
  { type: 'WarmupCosine', warmupSteps: 4, totalSteps: 18 },
  {
    type: 'SequentialLR',
    schedulers: [
      { type: 'LinearLR', totalIters: 5 },
      { type: 'CosineAnnealingLR', tMax: 10 },
    ],
    milestones: [5],
  },
  { type: 'StepLR', stepSize: 1, gamma: 0.7, every: 'epoch' },
];

const schedules: readonly Named[] = [
  ...SCHEDULERS.map((scheduler) => withNet(`single, ${words(scheduler)}`, 'mlp', { scheduler })),
  withNet('ddp, ExponentialLR every epoch, accumulate 2', 'mlp', {
    mode: 'ddp',
    worldSize: 2,
    accumulate: 2,
    scheduler: { type: 'ExponentialLR', gamma: 0.8, every: 'epoch' },
  }),
  withNet('modelParallel, OneCycleLR turns momentum, too', 'mlp', {
    mode: 'modelParallel',
    worldSize: 2,
    scheduler: { type: 'OneCycleLR', maxLr: 0.4, totalSteps: 20 },
  }),
];

export const UPDATE_RUNS: readonly Named[] = [...optimizers, ...groups, ...clipping, ...schedules];
