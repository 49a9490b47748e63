/**
 * Losses, layers and data: what a single device computes, for the kernels behind it.
 * A part of the table of parity/bits.test.ts.
 */
import type { ConfigInput, LayerInput } from '../../../protocol/config';
import { mlpLayers } from '../../../protocol/presets';
import { type Named, withLayers, withNet } from './nets';

type Loss = NonNullable<ConfigInput['loss']>;
type Data = NonNullable<ConfigInput['data']>;

const regression: ConfigInput = { data: { type: 'randomRegression', samples: 40, in: 4, out: 3 }, batchSize: 8 };
const classes: ConfigInput = { data: { type: 'prototypes', samples: 40, classes: 3, features: 4 }, batchSize: 8 };
const images: ConfigInput = {
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'digits', samples: 40, size: 8, testFraction: 0 },
  batchSize: 8,
};
const tokens: ConfigInput = {
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  data: { type: 'sequence', task: 'reverse', samples: 40, length: 3, symbols: 4 },
  batchSize: 8,
};

const lossRuns: readonly Named[] = (
  [
    [{ type: 'MSELoss', reduction: 'sum' }, regression],
    [{ type: 'L1Loss' }, regression],
    [{ type: 'SmoothL1Loss', beta: 0.5 }, regression],
    [{ type: 'HuberLoss', delta: 0.5 }, regression],
    [{ type: 'CrossEntropyLoss' }, classes],
    [{ type: 'CrossEntropyLoss', labelSmoothing: 0.1, classWeights: [1, 2, 0.5] }, classes],
    [{ type: 'CrossEntropyLoss', reduction: 'sum', ignoreIndex: 1 }, classes],
  ] satisfies readonly (readonly [Loss, ConfigInput])[]
).map(([loss, config]) =>
  withLayers(`single, ${JSON.stringify(loss)}`, mlpLayers([4, 6, 3], 'ReLU'), {
    ...config,
    loss,
    optimizer: { type: 'SGD', lr: 0.02 },
  }),
);

const nll = withLayers('single, LogSoftmax and NLLLoss', [...mlpLayers([4, 6, 3], 'ReLU'), { type: 'LogSoftmax' }], {
  ...classes,
  loss: { type: 'NLLLoss' },
});

const activations: readonly Named[] = (
  [
    { type: 'Sigmoid' },
    { type: 'GELU' },
    { type: 'GELU', approximate: 'tanh' },
    { type: 'LeakyReLU', negativeSlope: 0.2 },
    { type: 'ELU', alpha: 0.5 },
    { type: 'SiLU' },
    { type: 'Softplus' },
    { type: 'Softmax' },
  ] satisfies readonly LayerInput[]
).map((activation) =>
  withLayers(
    `single, ${JSON.stringify(activation)}`,
    [{ type: 'Linear', in: 4, out: 6 }, activation, { type: 'Linear', in: 6, out: 3 }],
    { ...regression, loss: { type: 'MSELoss' } },
  ),
);

const imageNets: readonly Named[] = [
  withLayers(
    'single, strides, groups, average pooling',
    [
      { type: 'Conv2d', in: 1, out: 4, kernel: 3, stride: 2, padding: 1, bias: false },
      { type: 'GroupNorm', groups: 2, channels: 4 },
      { type: 'SiLU' },
      { type: 'Conv2d', in: 4, out: 4, kernel: [3, 1], padding: [1, 0], groups: 2, dilation: 1 },
      { type: 'AvgPool2d', kernel: 2 },
      { type: 'AdaptiveAvgPool2d', output: 1 },
      { type: 'Flatten' },
      { type: 'Linear', in: 4, out: 10 },
    ],
    images,
  ),
  withLayers(
    'single, padding same, ceil_mode, LayerNorm without bias',
    [
      { type: 'Conv2d', in: 1, out: 3, kernel: [3, 2], padding: 'same' },
      { type: 'MaxPool2d', kernel: 3, stride: 2, ceilMode: true },
      { type: 'AvgPool2d', kernel: 3, stride: 2, padding: 1, ceilMode: true, countIncludePad: false },
      { type: 'Flatten' },
      { type: 'Linear', in: 27, out: 8 },
      { type: 'LayerNorm', features: 8, bias: false },
      { type: 'Linear', in: 8, out: 10 },
    ],
    images,
  ),
  withLayers(
    'single, a residual block over images',
    [
      {
        type: 'Residual',
        layers: [
          { type: 'Conv2d', in: 1, out: 3, kernel: 3, padding: 2, dilation: 2 },
          { type: 'BatchNorm2d', features: 3, momentum: 0.2, affine: false },
        ],
        shortcut: [{ type: 'Conv2d', in: 1, out: 3, kernel: 1 }],
      },
      { type: 'MaxPool2d', kernel: 3, stride: 2, padding: 1 },
      { type: 'Flatten' },
      { type: 'Linear', in: 48, out: 10 },
    ],
    images,
  ),
];

const tokenNets: readonly Named[] = [
  withLayers(
    'single, attention, tied weights',
    [
      { type: 'TokenEmbedding', vocab: 5, context: 7, width: 8, name: '' },
      { type: 'TransformerBlock', width: 8, heads: 2, expansion: 2, dropout: 0.1, name: 'block' },
      { type: 'MultiheadAttention', width: 8, heads: 2, causal: true },
      { type: 'LayerNorm', features: 8 },
      { type: 'Linear', in: 8, out: 5, bias: false, tied: 'tok.weight' },
    ],
    tokens,
  ),
  withLayers(
    'single, embedding with a padding index',
    [{ type: 'Embedding', vocab: 5, width: 6, paddingIdx: 0 }, { type: 'Tanh' }, { type: 'Linear', in: 6, out: 5 }],
    tokens,
  ),
];

const datasets: readonly Named[] = (
  [
    { type: 'circle', samples: 46, noise: 0.1, testFraction: 0.2 },
    { type: 'gauss', samples: 46 },
    { type: 'spiral', samples: 46, noise: 0.2 },
    { type: 'plane', samples: 46 },
  ] satisfies readonly Data[]
).map((data) =>
  withNet(`single, ${JSON.stringify(data)}`, 'mlp', {
    data,
    ...(data.type === 'plane' ? { loss: { type: 'MSELoss' }, optimizer: { type: 'SGD', lr: 0.01 } } : {}),
  }),
);

export const MODEL_RUNS: readonly Named[] = [...lossRuns, nll, ...activations, ...imageNets, ...tokenNets, ...datasets];
