/**
 * The model in Keras: a functional model, a line for each layer, whose arguments give PyTorch's defaults where Keras
 * has others. Images are NHWC, as TensorFlow computes them. What Keras has no layer for is refused (missing.ts).
 * Called by script.ts.
 */
import { unreachable } from '../../base/invariant';
import { asPair, type LayerConfig, type LeafLayer, type NumberOrPair } from '../../protocol/config';
import { flag, keyword } from '../pytorch/python';
import { missing } from './missing';

export interface KerasModel {
  /** Above the scope. */
  readonly definitions: readonly string[];
  /** From the inputs to `model = ...`. */
  readonly lines: readonly string[];
}

/** `synchronized`: batch norm takes its statistics over all replicas. */
export function kerasModel(layers: readonly LayerConfig[], synchronized: boolean): KerasModel {
  const lines = layersCode(layers, { synchronized, depth: 0 });
  const has = (call: string): boolean => lines.some((line) => line.includes(`= ${call}(`));
  return {
    definitions: [...(has('TokenEmbedding') ? TOKEN_EMBEDDING : []), ...(has('block') ? BLOCK : [])],
    lines: [
      'inputs = x = tf.keras.Input(data_x.shape[1:], dtype=data_x.dtype.name)',
      ...lines,
      'model = tf.keras.Model(inputs, x)',
    ],
  };
}

interface Place {
  readonly synchronized: boolean;
  /** Residuals around. */
  readonly depth: number;
}

const layersCode = (layers: readonly LayerConfig[], place: Place): string[] =>
  layers.flatMap((layer) => layerCode(layer, place));

function layerCode(layer: LayerConfig, place: Place): readonly string[] {
  if (layer.type === 'Unused') return ['# a layer that is never called (Unused) is no part of a Keras model'];
  if (layer.type === 'Residual') {
    const [kept, branch] = [`kept${place.depth}`, `branch${place.depth}`];
    const inside = { ...place, depth: place.depth + 1 };
    const { layers, shortcut } = layer;
    return [
      `${kept} = x`,
      ...layersCode(layers, inside),
      ...(shortcut ? [`${branch} = x`, `x = ${kept}`, ...layersCode(shortcut, inside), `${kept} = x`] : []),
      `x = layers.Add()([${shortcut ? branch : 'x'}, ${kept}])`,
    ];
  }
  return leafCode(layer, place).map((call) => `x = ${call}`);
}

const into = (name: string, ...args: readonly string[]): string => `layers.${name}(${args.join(', ')})(x)`;

const tuple = (value: NumberOrPair): string => {
  const [height, width] = asPair(value);
  return height === width ? `${height}` : `(${height}, ${width})`;
};
const isZero = (value: NumberOrPair): boolean => asPair(value).every((size) => size === 0);

/** Calls, one after the other. */
function leafCode(layer: LeafLayer, { synchronized }: Place): readonly string[] {
  switch (layer.type) {
    case 'Linear':
      if (layer.tied !== undefined)
        throw missing(
          `a Linear layer with the weight of another (tied: ${layer.tied})`,
          'Every Dense layer has a weight of its own.',
        );
      return [into('Dense', `${layer.out}`, ...flag('use_bias', layer.bias, true))];
    case 'ReLU':
      return [into('ReLU')];
    case 'Tanh':
    case 'Sigmoid':
    case 'Softplus':
      return [into('Activation', `'${layer.type.toLowerCase()}'`)];
    case 'SiLU':
      return [into('Activation', 'tf.nn.silu')];
    case 'GELU':
      return [
        into('Activation', layer.approximate === 'tanh' ? 'lambda x: tf.nn.gelu(x, approximate=True)' : 'tf.nn.gelu'),
      ];
    case 'LeakyReLU':
      return [into('LeakyReLU', `${layer.negativeSlope}`)];
    case 'ELU':
      return [into('ELU', `${layer.alpha}`)];
    case 'Softmax':
      return [into('Softmax')];
    case 'LogSoftmax':
      return [into('Activation', 'tf.nn.log_softmax')];
    case 'Dropout':
      return [into('Dropout', `${layer.p}`)];
    case 'Flatten':
      return [into('Flatten')];
    case 'Conv2d':
      return convCode(layer);
    case 'MaxPool2d':
      if (!isZero(layer.padding)) throw missing('MaxPool2d with padding', 'Padding of MaxPooling2D is valid or same.');
      refuseCeil(layer);
      return [into('MaxPooling2D', ...poolArguments(layer))];
    case 'AvgPool2d':
      refuseCeil(layer);
      if (!layer.countIncludePad && !isZero(layer.padding))
        throw missing('AvgPool2d with countIncludePad false', 'ZeroPadding2D adds zeros that the mean counts.');
      return [...padded(layer.padding), into('AveragePooling2D', ...poolArguments(layer))];
    case 'AdaptiveAvgPool2d':
      if (tuple(layer.output) !== '1')
        throw missing(`AdaptiveAvgPool2d(${tuple(layer.output)})`, 'GlobalAveragePooling2D gives one value.');
      return [into('GlobalAveragePooling2D', 'keepdims=True')];
    case 'BatchNorm1d':
    case 'BatchNorm2d':
      return [
        into(
          'BatchNormalization',
          // torch's momentum is the part of the new value, Keras's that of the old one.
          `momentum=${Number((1 - layer.momentum).toFixed(12))}`,
          `epsilon=${layer.eps}`,
          ...affine(layer.affine),
          ...flag('synchronized', synchronized),
        ),
      ];
    case 'LayerNorm':
      return [
        into(
          'LayerNormalization',
          `epsilon=${layer.eps}`,
          ...affine(layer.affine),
          ...(layer.affine ? flag('center', layer.bias, true) : []),
        ),
      ];
    case 'GroupNorm':
      return [into('GroupNormalization', `${layer.groups}`, `epsilon=${layer.eps}`, ...affine(layer.affine))];
    case 'Embedding':
      if (layer.paddingIdx !== undefined)
        throw missing('Embedding with paddingIdx', "Keras's mask_zero masks the token, not its row.");
      return [into('Embedding', `${layer.vocab}`, `${layer.width}`)];
    case 'TokenEmbedding':
      return [`TokenEmbedding(${layer.vocab}, ${layer.context}, ${layer.width})(x)`];
    case 'MultiheadAttention': {
      const attention = into(
        'MultiHeadAttention',
        `${layer.heads}`,
        `${layer.width / layer.heads}`,
        ...flag('use_bias', layer.bias, true),
      );
      return [attention.replace(/\(x\)$/, `(x, x${layer.causal ? ', use_causal_mask=True' : ''})`)];
    }
    case 'TransformerBlock': {
      const { width, heads, expansion, causal, dropout } = layer;
      const more = [
        ...keyword('expansion', expansion, 4),
        ...flag('causal', causal, true),
        ...keyword('dropout', dropout, 0),
      ];
      return [`block(${['x', width, heads, ...more].join(', ')})`];
    }
    default:
      return unreachable(layer);
  }
}

const affine = (given: boolean): readonly string[] => (given ? [] : ['center=False', 'scale=False']);

function refuseCeil({ type, ceilMode }: Extract<LeafLayer, { type: 'MaxPool2d' | 'AvgPool2d' }>): void {
  if (ceilMode) throw missing(`${type} with ceilMode`, 'In Keras every window ends inside the image.');
}

const padded = (padding: NumberOrPair): readonly string[] =>
  isZero(padding) ? [] : [into('ZeroPadding2D', tuple(padding))];

function poolArguments({
  kernel,
  stride,
}: {
  readonly kernel: NumberOrPair;
  readonly stride?: NumberOrPair | undefined;
}) {
  return [
    tuple(kernel),
    ...(stride === undefined || tuple(stride) === tuple(kernel) ? [] : [`strides=${tuple(stride)}`]),
  ];
}

function convCode(layer: Extract<LeafLayer, { type: 'Conv2d' }>): readonly string[] {
  const { kernel, stride, padding, dilation } = layer;
  const strides = tuple(stride) === '1' ? [] : [`strides=${tuple(stride)}`];
  const spread = tuple(dilation) === '1' ? [] : [`dilation_rate=${tuple(dilation)}`];
  if (strides.length > 0 && spread.length > 0)
    throw missing('a Conv2d with both stride and dilation', 'Conv2D refuses them together.');
  return [
    ...(typeof padding === 'string' ? [] : padded(padding)),
    into(
      'Conv2D',
      `${layer.out}`,
      tuple(kernel),
      ...strides,
      ...(padding === 'same' ? ["padding='same'"] : []),
      ...spread,
      ...keyword('groups', layer.groups, 1),
      ...flag('use_bias', layer.bias, true),
    ),
  ];
}

const TOKEN_EMBEDDING = [
  'class TokenEmbedding(layers.Layer):',
  '    def __init__(self, vocab, context, width):',
  '        super().__init__()',
  '        self.tok = layers.Embedding(vocab, width)',
  '        self.pos = layers.Embedding(context, width)',
  '    def call(self, x):',
  '        return self.tok(x) + self.pos(tf.range(tf.shape(x)[1]))',
];

const BLOCK = [
  'def block(x, width, heads, expansion=4, causal=True, dropout=0):',
  '    h = layers.LayerNormalization(epsilon=1e-5)(x)',
  '    h = layers.MultiHeadAttention(heads, width // heads)(h, h, use_causal_mask=causal)',
  '    x = layers.Add()([x, layers.Dropout(dropout)(h)])',
  '    h = layers.LayerNormalization(epsilon=1e-5)(x)',
  '    h = layers.Dense(expansion * width, activation=tf.nn.gelu)(h)',
  '    h = layers.Dense(width)(h)',
  '    return layers.Add()([x, layers.Dropout(dropout)(h)])',
];
