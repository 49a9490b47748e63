/** A model, rows that fit the model, and a loss. */
import type { ConfigInput, LayerInput } from '../../src/protocol/config';
import { gptLayers } from '../../src/protocol/presets';
import type { Files } from '../../src/protocol/session';
import { anyCsv, anyNpy } from './any-file';
import { type Gen, int, often, one, some } from './draws';

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

const batchNorm = (g: Gen) =>
  some(g, 30, () => ({ momentum: one(g, 0, 0.3), affine: often(g, 50), eps: one(g, 1e-5, 1e-3) }));

const TWIN = 'twin';

/** Two layers that share one weight. */
const twins = (g: Gen, width: number): LayerInput[] => [
  { type: 'Linear', in: width, out: width, name: TWIN },
  one(g, ...ACTIVATIONS),
  { type: 'Linear', in: width, out: width, tied: `${TWIN}.weight`, bias: often(g, 60) },
];

const residualOf = (width: number): LayerInput => ({
  type: 'Residual',
  layers: [{ type: 'Linear', in: width, out: width }, { type: 'Tanh' }],
});

/** Layers from [rows, into] to [rows, out]. */
function denseLayers(g: Gen, into: number, out: number): LayerInput[] {
  const layers: LayerInput[] = [];
  let width = into;
  for (let i = int(g, 1, 4); i > 0; i--) {
    const next = int(g, 2, 9);
    const name = some(g, 15, () => ({ name: one(g, `part${layers.length}.fc`, `group.fc${layers.length}`) }));
    layers.push({ type: 'Linear', in: width, out: next, bias: often(g, 85), ...name });
    width = next;
    if (often(g, 20))
      layers.push(
        one<LayerInput>(
          g,
          { type: 'BatchNorm1d', features: width, ...batchNorm(g) },
          { type: 'LayerNorm', features: width, affine: often(g, 80), bias: often(g, 80) },
          { type: 'GroupNorm', groups: 1, channels: width, affine: often(g, 80) },
        ),
      );
    layers.push(often(g, 3) ? { type: 'Softmax' } : one(g, ...ACTIVATIONS));
    if (often(g, 10)) layers.push({ type: 'Dropout', p: one(g, 0.3, 0, 0.7) });
    if (often(g, 6) && !layers.some(({ name }) => name === TWIN)) layers.push(...twins(g, width));
    if (often(g, 4)) layers.push({ type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] });
    if (often(g, 15))
      layers.push({
        type: 'Residual',
        layers: [
          { type: 'Linear', in: width, out: 5 },
          one(g, ...ACTIVATIONS),
          ...(often(g, 15) ? [residualOf(5)] : []),
          { type: 'Linear', in: 5, out: width },
        ],
        ...some(g, 30, () => ({ shortcut: [{ type: 'Linear' as const, in: width, out: width }] })),
        ...some(g, 20, () => ({ name: `residual${layers.length}` })),
      });
  }
  return [...layers, { type: 'Linear', in: width, out, bias: often(g, 85) }];
}

/** As in a ResNet. */
const residualImages = (g: Gen, channels: number): LayerInput => {
  const conv = { type: 'Conv2d', in: channels, out: channels, kernel: 3, padding: 1 } as const;
  const norm = { type: 'BatchNorm2d', features: channels } as const;
  return {
    type: 'Residual',
    layers: often(g, 50) ? [conv, norm, { type: 'ReLU' }, { ...conv, bias: false }] : [conv, { type: 'Tanh' }],
    ...some(g, 30, () => ({ shortcut: [{ ...conv, kernel: 1, padding: 0, bias: false }, norm] })),
  };
};

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
      ...one(g, { padding: 1, stride: 1 }, { padding: 1, stride: 2 }, { padding: 'same' as const }),
      ...some(g, 15, () => ({ dilation: 2, padding: 2 })),
      groups,
      bias: often(g, 80),
    });
    channels = out;
    if (often(g, 35))
      layers.push(
        one<LayerInput>(g, { type: 'BatchNorm2d', features: channels }, { type: 'GroupNorm', groups: 2, channels }),
      );
    layers.push(one(g, ...ACTIVATIONS));
    if (often(g, 10)) layers.push({ type: 'Dropout', p: 0.3 });
    if (often(g, 20)) layers.push(residualImages(g, channels));
    if (often(g, 30))
      layers.push(
        one<LayerInput>(
          g,
          { type: 'MaxPool2d', kernel: 2, ceilMode: often(g, 30) },
          { type: 'MaxPool2d', kernel: 3, stride: 2, padding: 1 },
          { type: 'AvgPool2d', kernel: 3, stride: 1, padding: 1, countIncludePad: often(g, 50) },
          { type: 'AvgPool2d', kernel: [2, 1], ceilMode: often(g, 50) },
        ),
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

const blockSettings = (g: Gen) => ({
  ...some(g, 20, () => ({ causal: false })),
  ...some(g, 10, () => ({ dropout: 0.2 })),
});

function tokenLayers(g: Gen, vocab: number, context: number): LayerInput[] {
  const heads = int(g, 1, 4);
  // Layer norm of two features gives -1 and 1 whatever comes in: its gradients are nothing but rounding.
  const width = heads * Math.max(4 / heads, int(g, 1, 3) * 2);
  const layers = int(g, 1, 3);
  if (often(g, 60)) {
    const net = gptLayers({ vocab, context, width, heads, layers });
    const head: LayerInput = { type: 'Linear', in: width, out: vocab, bias: false, tied: 'tok.weight', name: 'head' };
    return often(g, 25) ? [...net.slice(0, -1), head] : net;
  }
  const blocks = Array.from({ length: layers }, (): LayerInput[] =>
    often(g, 50)
      ? [{ type: 'TransformerBlock', width, heads, expansion: int(g, 1, 4), ...blockSettings(g) }]
      : [
          {
            type: 'Residual',
            layers: [{ type: 'MultiheadAttention', width, heads, causal: often(g, 70), bias: often(g, 70) }],
          },
          { type: 'LayerNorm', features: width, bias: often(g, 80) },
          { type: 'Linear', in: width, out: width },
          one(g, ...ACTIVATIONS),
        ],
  );
  return [
    often(g, 75)
      ? { type: 'TokenEmbedding', vocab, context, width }
      : { type: 'Embedding', vocab, width, ...some(g, 50, () => ({ paddingIdx: 1 })) },
    ...blocks.flat(),
    { type: 'Linear', in: width, out: vocab },
  ];
}

type Task = Pick<ConfigInput, 'model' | 'data' | 'loss'> & { readonly files?: Files };
const reduction = (g: Gen) => ({
  reduction: one(g, 'mean' as const, 'mean' as const, 'mean' as const, 'sum' as const),
});
const TEXT = 'the cat saw a hat; a dog ate the ham; ';

export const TASKS: readonly ((g: Gen) => Task)[] = [
  (g) => ({
    data: {
      type: one(g, 'xor', 'circle', 'spiral', 'gauss', 'plane'),
      samples: int(g, 24, 70),
      ...some(g, 20, () => ({ noise: 0.2 })),
      testFraction: one(g, 0, 0, 0.2),
    },
    model: { layers: denseLayers(g, 2, 1) },
    loss: one<NonNullable<ConfigInput['loss']>>(
      g,
      { type: 'BCEWithLogitsLoss', ...reduction(g), ...some(g, 30, () => ({ posWeight: [2.5] })) },
      { type: 'MSELoss', ...reduction(g) },
      { type: 'HuberLoss', ...reduction(g), delta: one(g, 1, 0.4) },
    ),
  }),
  (g) => {
    const [into, out] = [int(g, 1, 7), int(g, 1, 5)];
    return {
      data: { type: 'randomRegression', samples: int(g, 20, 60), in: into, out },
      model: { layers: denseLayers(g, into, out) },
      loss: one<NonNullable<ConfigInput['loss']>>(
        g,
        { type: 'MSELoss', ...reduction(g) },
        { type: 'L1Loss', ...reduction(g) },
        { type: 'SmoothL1Loss', ...reduction(g), beta: one(g, 1, 0.3) },
      ),
    };
  },
  (g) => {
    const [classes, features] = [int(g, 2, 7), int(g, 3, 9)];
    if (often(g, 15))
      return {
        data: { type: 'prototypes', samples: 40, classes, features },
        model: { layers: [...denseLayers(g, features, classes), { type: 'LogSoftmax' }] },
        loss: { type: 'NLLLoss', ...reduction(g) },
      };
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
    if (often(g, 25))
      return {
        data: { type: 'digits', samples: int(g, 24, 48), size: int(g, 8, 10), testFraction: one(g, 0, 0.2) },
        model: { layers: imageLayers(g, 10) },
        loss: { type: 'CrossEntropyLoss', ...reduction(g) },
      };
    if (often(g, 15))
      return {
        data: { type: 'shapes', samples: int(g, 24, 48), size: 8, testFraction: one(g, 0, 0.2) },
        model: { layers: imageLayers(g, 6) },
        loss: { type: 'CrossEntropyLoss', ...reduction(g) },
      };
    if (often(g, 20))
      return {
        ...anyNpy(g, [1, int(g, 4, 6), int(g, 4, 6)], { classes }),
        model: { layers: imageLayers(g, classes) },
        loss: { type: 'CrossEntropyLoss', ...reduction(g) },
      };
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
  (g) => {
    const [features, width] = [int(g, 1, 6), int(g, 1, 3)];
    if (often(g, 50))
      return {
        ...anyNpy(g, [features], { width }),
        model: { layers: denseLayers(g, features, width) },
        loss: { type: one(g, 'MSELoss', 'L1Loss', 'HuberLoss'), ...reduction(g) },
      };
    return {
      ...anyCsv(g, features, 'real'),
      model: { layers: denseLayers(g, features, 1) },
      loss: { type: one(g, 'MSELoss', 'L1Loss', 'SmoothL1Loss'), ...reduction(g) },
    };
  },
  (g) => {
    const [features, classes] = [int(g, 1, 6), int(g, 2, 4)];
    const table = often(g, 50) ? anyCsv(g, features, { classes }) : anyNpy(g, [features], { classes });
    if (classes === 2 && often(g, 50))
      return { ...table, model: { layers: denseLayers(g, features, 1) }, loss: { type: 'BCEWithLogitsLoss' } };
    return {
      ...table,
      model: { layers: denseLayers(g, features, classes) },
      loss: { type: 'CrossEntropyLoss', ...reduction(g) },
    };
  },
];
