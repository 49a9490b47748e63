/**
 * Expressions that construct each layer in the listing: torch.nn's modules with arguments that differ from the
 * defaults, and small classes where torch.nn has no module. classes.ts has the texts of the classes; model.ts builds
 * the model from the layers.
 */
import { asPair, type LayerConfig, type LeafLayer, type NumberOrPair } from '../../protocol/config';
import { type Call, call, type Expression, flag, keyword, named } from './python';

const pair = (p: NumberOrPair): string => {
  const [height, width] = asPair(p);
  return height === width ? String(height) : `(${height}, ${width})`;
};
const pairKeyword = (name: string, value: NumberOrPair, fallback: NumberOrPair): string[] =>
  pair(value) === pair(fallback) ? [] : [`${name}=${pair(value)}`];

type Inner = (layers: readonly LayerConfig[]) => Expression;

/** `sequential` combines the layers inside a Residual. */
export function layerCode(layer: LayerConfig, sequential: Inner): Expression {
  if (layer.type === 'Residual') {
    const { layers, shortcut } = layer;
    return call('Residual', [sequential(layers), ...(shortcut ? [named('shortcut', sequential(shortcut))] : [])]);
  }
  if (layer.type === 'Unused') {
    const inner = sequential(layer.layers);
    return typeof inner === 'string' ? inner : { ...inner, open: inner.open.replace('nn.Sequential', 'Unused') };
  }
  return `${nameOf(layer)}(${argumentsOf(layer).join(', ')})`;
}

function nameOf(layer: LayerConfig): string {
  switch (layer.type) {
    case 'TokenEmbedding':
      return 'TokenEmbedding';
    case 'MultiheadAttention':
      return layer.causal ? 'CausalSelfAttention' : 'SelfAttention';
    case 'TransformerBlock':
      return 'Block';
    default:
      return `nn.${layer.type}`;
  }
}

function argumentsOf(layer: LeafLayer): readonly string[] {
  switch (layer.type) {
    case 'Linear':
      return [`${layer.in}`, `${layer.out}`, ...flag('bias', layer.bias, true)];
    case 'GELU':
      return layer.approximate === 'tanh' ? ["approximate='tanh'"] : [];
    case 'LeakyReLU':
      return layer.negativeSlope === 0.01 ? [] : [`${layer.negativeSlope}`];
    case 'ELU':
      return keyword('alpha', layer.alpha, 1);
    case 'Softmax':
    case 'LogSoftmax':
      return ['dim=-1'];
    case 'Dropout':
      return [`${layer.p}`];
    case 'Conv2d':
      return [
        `${layer.in}`,
        `${layer.out}`,
        pair(layer.kernel),
        ...pairKeyword('stride', layer.stride, 1),
        ...(typeof layer.padding === 'string'
          ? [`padding='${layer.padding}'`]
          : pairKeyword('padding', layer.padding, 0)),
        ...pairKeyword('dilation', layer.dilation, 1),
        ...keyword('groups', layer.groups, 1),
        ...flag('bias', layer.bias, true),
      ];
    case 'MaxPool2d':
    case 'AvgPool2d':
      return [
        pair(layer.kernel),
        ...pairKeyword('stride', layer.stride ?? layer.kernel, layer.kernel),
        ...pairKeyword('padding', layer.padding, 0),
        ...flag('ceil_mode', layer.ceilMode),
        ...(layer.type === 'AvgPool2d' ? flag('count_include_pad', layer.countIncludePad, true) : []),
      ];
    case 'AdaptiveAvgPool2d':
      return [pair(layer.output)];
    case 'BatchNorm1d':
    case 'BatchNorm2d':
      return [
        `${layer.features}`,
        ...keyword('eps', layer.eps, 1e-5),
        ...keyword('momentum', layer.momentum, 0.1),
        ...flag('affine', layer.affine, true),
      ];
    case 'LayerNorm':
      return [
        `${layer.features}`,
        ...keyword('eps', layer.eps, 1e-5),
        ...flag('elementwise_affine', layer.affine, true),
        ...flag('bias', layer.bias, true),
      ];
    case 'GroupNorm':
      return [
        `${layer.groups}`,
        `${layer.channels}`,
        ...keyword('eps', layer.eps, 1e-5),
        ...flag('affine', layer.affine, true),
      ];
    case 'Embedding':
      return [
        `${layer.vocab}`,
        `${layer.width}`,
        ...(layer.paddingIdx === undefined ? [] : [`padding_idx=${layer.paddingIdx}`]),
      ];
    case 'TokenEmbedding':
      return [`${layer.vocab}`, `${layer.context}`, `${layer.width}`];
    case 'MultiheadAttention':
      return [`${layer.width}`, `${layer.heads}`, ...flag('bias', layer.bias, true), 'batch_first=True'];
    case 'TransformerBlock':
      return [
        `${layer.width}`,
        `${layer.heads}`,
        ...keyword('expansion', layer.expansion, 4),
        ...flag('causal', layer.causal, true),
        ...keyword('dropout', layer.dropout, 0),
      ];
    default:
      return [];
  }
}

/** All layers of a model, including layers inside others. */
export const allLayers = (layers: readonly LayerConfig[]): readonly LayerConfig[] =>
  layers.flatMap((layer) =>
    layer.type === 'Residual'
      ? [layer, ...allLayers([...layer.layers, ...(layer.shortcut ?? [])])]
      : layer.type === 'Unused'
        ? [layer, ...allLayers(layer.layers)]
        : [layer],
  );

/** nn.Sequential of named items; positional if the names are 0, 1, 2 ... */
export function sequentialCode(items: readonly (readonly [name: string, code: Expression])[]): Call {
  const codes = items.map(([, code]) => code);
  if (items.every(([name], i) => name === String(i))) return call('nn.Sequential', codes);
  if (items.every(([name]) => isIdentifier(name))) {
    const open = 'nn.Sequential(OrderedDict(';
    return { open, items: items.map(([name, code]) => named(name, code)), close: '))' };
  }
  const pairs = items.map(
    ([name, code]): Expression =>
      typeof code === 'string'
        ? `('${name}', ${code})`
        : { ...code, open: `('${name}', ${code.open}`, close: `${code.close})` },
  );
  return { open: 'nn.Sequential(OrderedDict([', items: pairs, close: ']))' };
}

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
export const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
