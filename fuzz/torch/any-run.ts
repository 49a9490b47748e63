/**
 * Small runs in every mode and mesh, most of which both Lockstep and PyTorch train: a model with rows that fit it, a
 * loss, an optimiser, and a few settings of its mode.
 */
import fc from 'fast-check';
import type { ConfigInput, LayerInput } from '../../src/protocol/config';
import { SCHEDULE_NAMES } from '../../src/protocol/pipeline';
import { gptLayers } from '../../src/protocol/presets';

type Gen = fc.GeneratorValue;

const int = (g: Gen, min: number, max: number): number => g(fc.integer, { min, max });
const one = <const T>(g: Gen, ...values: readonly T[]): T => values[int(g, 0, values.length - 1)] as T;
/** True in `percent` of 100 cases. */
const often = (g: Gen, percent: number): boolean => int(g, 0, 99) < percent;
const some = <T extends object>(g: Gen, percent: number, given: () => T): T | Record<never, never> =>
  often(g, percent) ? given() : {};

const ACTIVATIONS: readonly LayerInput[] = [
  { type: 'ReLU' },
  { type: 'Tanh' },
  { type: 'Sigmoid' },
  { type: 'GELU' },
  { type: 'GELU', approximate: 'tanh' },
  { type: 'LeakyReLU', negativeSlope: 0.2 },
  { type: 'ELU' },
  { type: 'SiLU' },
  { type: 'Softplus' },
];

/** Layers from [rows, into] to [rows, out]. */
function denseLayers(g: Gen, into: number, out: number): LayerInput[] {
  const layers: LayerInput[] = [];
  let width = into;
  for (let i = int(g, 1, 4); i > 0; i--) {
    const next = int(g, 2, 9);
    layers.push({ type: 'Linear', in: width, out: next, bias: often(g, 85) });
    width = next;
    if (often(g, 20))
      layers.push(
        one<LayerInput>(
          g,
          { type: 'BatchNorm1d', features: width },
          { type: 'LayerNorm', features: width },
          { type: 'GroupNorm', groups: 1, channels: width },
        ),
      );
    layers.push(one(g, ...ACTIVATIONS));
    if (often(g, 10)) layers.push({ type: 'Dropout', p: 0.3 });
    if (often(g, 15))
      layers.push({
        type: 'Residual',
        layers: [{ type: 'Linear', in: width, out: 5 }, one(g, ...ACTIVATIONS), { type: 'Linear', in: 5, out: width }],
        ...some(g, 30, () => ({ shortcut: [{ type: 'Linear' as const, in: width, out: width }] })),
      });
  }
  return [...layers, { type: 'Linear', in: width, out, bias: often(g, 85) }];
}

/** Layers from images [1, size, size] to classes. */
function imageLayers(g: Gen, classes: number): LayerInput[] {
  const layers: LayerInput[] = [];
  let channels = 1;
  for (let i = int(g, 1, 3); i > 0; i--) {
    const groups = channels % 2 === 0 && often(g, 20) ? 2 : 1;
    const out = 2 * int(g, 1, 3);
    layers.push({
      type: 'Conv2d',
      in: channels,
      out,
      kernel: one<number | [number, number]>(g, 1, 3, [3, 1]),
      padding: 1,
      stride: one(g, 1, 1, 2),
      groups,
      bias: often(g, 80),
    });
    channels = out;
    if (often(g, 35))
      layers.push(
        one<LayerInput>(g, { type: 'BatchNorm2d', features: channels }, { type: 'GroupNorm', groups: 2, channels }),
      );
    layers.push(one(g, ...ACTIVATIONS));
    if (often(g, 30))
      layers.push(
        one<LayerInput>(g, { type: 'MaxPool2d', kernel: 2 }, { type: 'AvgPool2d', kernel: 3, stride: 1, padding: 1 }),
      );
  }
  const output = int(g, 1, 3);
  return [
    ...layers,
    { type: 'AdaptiveAvgPool2d', output },
    { type: 'Flatten' },
    ...denseLayers(g, channels * output * output, classes),
  ];
}

function tokenLayers(g: Gen, vocab: number, context: number): LayerInput[] {
  const heads = int(g, 1, 4);
  const width = heads * int(g, 1, 3) * 2;
  const layers = int(g, 1, 3);
  if (often(g, 60)) {
    const net = gptLayers({ vocab, context, width, heads, layers });
    const head: LayerInput = { type: 'Linear', in: width, out: vocab, bias: false, tied: 'tok.weight', name: 'head' };
    return often(g, 25) ? [...net.slice(0, -1), head] : net;
  }
  const blocks = Array.from({ length: layers }, (): LayerInput[] =>
    often(g, 50)
      ? [{ type: 'TransformerBlock', width, heads, expansion: int(g, 1, 4) }]
      : [
          {
            type: 'Residual',
            layers: [{ type: 'MultiheadAttention', width, heads, causal: true, bias: often(g, 70) }],
          },
          { type: 'LayerNorm', features: width, bias: often(g, 80) },
          { type: 'Linear', in: width, out: width },
          one(g, ...ACTIVATIONS),
        ],
  );
  return [
    { type: 'TokenEmbedding', vocab, context, width },
    ...blocks.flat(),
    { type: 'Linear', in: width, out: vocab },
  ];
}

type Task = Pick<ConfigInput, 'model' | 'data' | 'loss'>;
const reduction = (g: Gen) => ({
  reduction: one(g, 'mean' as const, 'mean' as const, 'mean' as const, 'sum' as const),
});
const TEXT = 'the cat saw a hat; a dog ate the ham; ';

const TASKS: readonly ((g: Gen) => Task)[] = [
  (g) => ({
    data: {
      type: one(g, 'xor', 'circle', 'spiral', 'gauss'),
      samples: int(g, 24, 70),
      testFraction: one(g, 0, 0, 0.2),
    },
    model: { layers: denseLayers(g, 2, 1) },
    loss: { type: one(g, 'BCEWithLogitsLoss', 'MSELoss', 'HuberLoss'), ...reduction(g) },
  }),
  (g) => {
    const [into, out] = [int(g, 1, 7), int(g, 1, 5)];
    return {
      data: { type: 'randomRegression', samples: int(g, 20, 60), in: into, out },
      model: { layers: denseLayers(g, into, out) },
      loss: { type: one(g, 'MSELoss', 'L1Loss', 'SmoothL1Loss'), ...reduction(g) },
    };
  },
  (g) => {
    const [classes, features] = [int(g, 2, 7), int(g, 3, 9)];
    return {
      data: { type: 'prototypes', samples: int(g, 24, 60), classes, features },
      model: { layers: denseLayers(g, features, classes) },
      loss: {
        type: 'CrossEntropyLoss',
        ...reduction(g),
        ...some(g, 20, () => ({ labelSmoothing: 0.1 })),
        ...some(g, 15, () => ({ classWeights: Array.from({ length: classes }, () => int(g, 1, 5) / 2) })),
        ...some(g, 10, () => ({ ignoreIndex: 1 })),
      },
    };
  },
  (g) => {
    const classes = int(g, 2, 5);
    return {
      data: { type: 'prototypes', samples: int(g, 24, 48), classes, size: int(g, 4, 8) },
      model: { layers: imageLayers(g, classes) },
      loss: { type: 'CrossEntropyLoss', ...reduction(g) },
    };
  },
  (g) => {
    const context = int(g, 3, 8);
    return {
      data: { type: 'text', text: TEXT.repeat(int(g, 5, 12)), context },
      model: { layers: tokenLayers(g, new Set(TEXT).size, context) },
      loss: { type: 'CrossEntropyLoss', ...reduction(g) },
    };
  },
  (g) => {
    const [length, symbols] = [int(g, 2, 4), int(g, 3, 7)];
    return {
      data: { type: 'sequence', task: one(g, 'sort', 'reverse', 'copy'), length, symbols, samples: 40 },
      model: { layers: tokenLayers(g, symbols + 1, 2 * length) },
      loss: { type: 'CrossEntropyLoss', ...reduction(g) },
    };
  },
];

const anyOptimizer = (g: Gen): NonNullable<ConfigInput['optimizer']> =>
  one<NonNullable<ConfigInput['optimizer']>>(
    g,
    { type: 'SGD', lr: 0.1 },
    { type: 'SGD', lr: 0.05, momentum: 0.9 },
    { type: 'SGD', lr: 0.05, momentum: 0.8, nesterov: true, weightDecay: 0.01 },
    { type: 'SGD', lr: 0.05, momentum: 0.5, dampening: 0.1 },
    { type: 'Adam', lr: 0.01, eps: 1e-3 },
    { type: 'AdamW', lr: 0.01, eps: 1e-3, weightDecay: 0.1 },
    { type: 'Adam', lr: 0.01, eps: 1e-3, amsgrad: true },
    { type: 'RMSprop', lr: 0.005, eps: 1e-3, momentum: 0.5, centered: true },
    { type: 'Adagrad', lr: 0.02, eps: 1e-3 },
    { type: 'Adadelta', lr: 0.5, eps: 1e-3 },
    { type: 'Adamax', lr: 0.005, eps: 1e-3 },
    { type: 'NAdam', lr: 0.005, eps: 1e-3 },
    { type: 'RAdam', lr: 0.005, eps: 1e-3 },
  );

const anyScheduler = (g: Gen): NonNullable<ConfigInput['scheduler']> =>
  one<NonNullable<ConfigInput['scheduler']>>(
    g,
    { type: 'StepLR', stepSize: 2, gamma: 0.5 },
    { type: 'ExponentialLR', gamma: 0.9, every: 'epoch' },
    { type: 'CosineAnnealingLR', tMax: 5 },
    { type: 'WarmupCosine', warmupSteps: 2, totalSteps: 6 },
    { type: 'LinearLR', totalIters: 3 },
  );

const ddpOf = (g: Gen): NonNullable<ConfigInput['ddp']> => ({
  ...some(g, 40, () => ({ bucketCapMb: one(g, 0.0001, 0.0003, 0.001) })),
  ...some(g, 15, () => ({ gradientAsBucketView: true })),
  ...some(g, 10, () => ({ staticGraph: true })),
  ...some(g, 10, () => ({ findUnusedParameters: true })),
  ...some(g, 10, () => ({ broadcastBuffers: false })),
  ...some(g, 10, () => ({ setEpoch: false })),
  ...some(g, 10, () => ({ samplerSeed: 5 })),
});

const MODES: readonly ((g: Gen) => ConfigInput)[] = [
  () => ({ mode: 'single' }),
  (g) => ({ mode: 'dataParallel', worldSize: int(g, 1, 4) }),
  (g) => ({
    mode: 'ddp',
    worldSize: int(g, 1, 4),
    accumulate: one(g, 1, 1, 2, 3),
    ddp: {
      ...ddpOf(g),
      ...some(g, 10, () => ({ rankSeeds: one(g, 'beforeModel', 'afterModel') })),
      ...some(g, 10, () => ({ noSync: one(g, 'forward', 'backward', 'none') })),
      ...some(g, 25, () => ({
        commHook: one(
          g,
          { type: 'fp16Compress' },
          { type: 'localSGD', period: 2, startLocalSGDIter: 2 },
          { type: 'powerSGD', startPowerSGDIter: 3, minCompressionRate: 0.5 },
        ),
      })),
    },
  }),
  (g) => ({ mode: 'modelParallel', worldSize: int(g, 1, 3) }),
  (g) => ({
    mode: 'pipeline',
    mesh: { pp: one(g, 1, 2, 2, 2, 3), dpReplicate: one(g, 1, 1, 2), ...one(g, {}, {}, { tp: 2 }, { dpShard: 2 }) },
    pipeline: {
      schedule: one(g, ...SCHEDULE_NAMES),
      microBatches: int(g, 1, 6),
      ...some(g, 15, () => ({ scaleGrads: false })),
    },
    ddp: ddpOf(g),
    dropLast: often(g, 80),
  }),
  (g) => ({
    mode: 'sharded',
    accumulate: one(g, 1, 1, 2, 3),
    mesh: { dpShard: int(g, 1, 4), ...some(g, 25, () => ({ dpReplicate: 2 })) },
    sharded: {
      stage: one(g, 1, 2, 3, 3),
      ...some(g, 20, () => ({ reshardAfterForward: often(g, 50) })),
      ...some(g, 20, () => ({ prefetch: int(g, 0, 2) })),
      ...some(g, 30, () => ({ syncEveryPass: often(g, 50) })),
      ...some(g, 15, () => ({ paramDtype: one(g, 'bfloat16', 'float16') })),
    },
  }),
  (g) => ({
    mode: 'tensor',
    accumulate: one(g, 1, 1, 2, 3),
    mesh: { tp: int(g, 2, 4), ...some(g, 30, () => ({ dpReplicate: 2 })) },
    ddp: ddpOf(g),
  }),
  (g) => ({ mode: 'sharded', mesh: { tp: 2, dpShard: 2 }, accumulate: one(g, 1, 1, 2) }),
  (g) => ({ mode: 'parameterServer', worldSize: int(g, 2, 4) }),
];

const LOW = ['autocast-bf16', 'bf16-master', 'bf16'] as const;

export const anyTorchRun: fc.Arbitrary<ConfigInput> = fc.gen().map((g): ConfigInput => {
  const task = one(g, ...TASKS)(g);
  const mode = one(g, ...MODES)(g);
  return {
    ...task,
    device: 'cpu',
    compareSingle: false,
    seed: int(g, 0, 50),
    batchSize: int(g, 4, 17),
    dropLast: often(g, 50),
    steps: int(g, 2, 7),
    optimizer: anyOptimizer(g),
    ...some(g, 20, () => ({ scheduler: anyScheduler(g) })),
    ...some(g, 20, () => ({
      clipGradNorm: one(g, 0.3, 1),
      ...some(g, 20, () => ({ clipGradNormType: one<number | 'inf'>(g, 1, 3, 'inf') })),
    })),
    ...some(g, 7, () => ({ clipGradValue: 0.05 })),
    ...some(g, 15, () => ({ shuffle: false })),
    ...some(g, 10, () => ({ paramGroups: [{ match: '*.bias', lr: 0.02, weightDecay: 0 }] })),
    ...some(g, 12, () => ({
      precision: one(g, ...LOW),
      optimizer: { type: 'SGD' as const, lr: 0.05, momentum: one(g, 0, 0.9) },
    })),
    ...mode,
  };
});
