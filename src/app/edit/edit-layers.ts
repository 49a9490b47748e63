/**
 * Changes of single layers, made in the set-up: each makes one change and adapts the sizes of the neighbouring layers
 * (edit-model.ts). Pure.
 */
import * as v from 'valibot';
import { allowed } from '../../config/issue-words';
import { type Config, type LayerConfig, type LeafLayer, LIMITS, layerSchema } from '../../protocol/config';
import type { RowOfData } from '../../protocol/config/data-row';
import type { Activation } from '../model/families';
import { shapesThrough } from '../model/layer-shapes';
import { type Edit, refused } from './edit-config';
import { impliedSource, plainNet, withLayers, withNet } from './edit-model';

/** A new layer of each type, before its sizes are adapted. */
const FRESH: Readonly<Record<LeafLayer['type'], object>> = {
  Linear: { in: 1, out: 16 },
  ReLU: {},
  Tanh: {},
  Sigmoid: {},
  GELU: {},
  LeakyReLU: {},
  ELU: {},
  SiLU: {},
  Softplus: {},
  Softmax: {},
  LogSoftmax: {},
  Dropout: {},
  Flatten: {},
  Conv2d: { in: 1, out: 8, kernel: 3, padding: 1 },
  MaxPool2d: { kernel: 2 },
  AvgPool2d: { kernel: 2 },
  AdaptiveAvgPool2d: { output: 1 },
  BatchNorm1d: { features: 1 },
  BatchNorm2d: { features: 1 },
  LayerNorm: { features: 1 },
  GroupNorm: { groups: 4, channels: 4 },
  Embedding: { vocab: 16, width: 16 },
  TokenEmbedding: { vocab: 16, context: 8, width: 16 },
  MultiheadAttention: { width: 16, heads: 4, causal: true },
  TransformerBlock: { width: 16, heads: 4 },
};

export const freshLayer = (type: LeafLayer['type']): LayerConfig => v.parse(layerSchema, { type, ...FRESH[type] });

/** The kinds of layers that accept a row of this shape; all kinds if the shape is not known. */
export function kindsFor(shape: readonly number[] | undefined): readonly LeafLayer['type'][] {
  const any = ['ReLU', 'Tanh', 'GELU', 'SiLU', 'LeakyReLU', 'Sigmoid', 'Dropout'] as const;
  const images = [
    'Conv2d',
    'BatchNorm2d',
    'GroupNorm',
    'MaxPool2d',
    'AvgPool2d',
    'AdaptiveAvgPool2d',
    'Flatten',
  ] as const;
  const sequences = ['TransformerBlock', 'MultiheadAttention', 'LayerNorm', 'Linear'] as const;
  const rows = ['Linear', 'BatchNorm1d', 'LayerNorm'] as const;
  if (!shape) return ['Linear', ...images, ...sequences.slice(0, 3), ...any];
  return [...(shape.length === 3 ? images : shape.length === 2 ? sequences : rows), ...any];
}

/** Renames a GPT's blocks by their places. */
const renamed = (layers: readonly LayerConfig[]): LayerConfig[] => {
  let block = 0;
  return layers.map((layer) => {
    if (layer.type !== 'TransformerBlock' || !/^(blocks\.\d+)?$/.test(layer.name ?? 'own')) return layer;
    return { ...layer, name: `blocks.${block++}` };
  });
};

export function withLayerAfter(
  config: Config,
  index: number,
  type: LeafLayer['type'],
  row: RowOfData | undefined,
): Edit {
  const { layers } = config.model;
  const shapes = shapesThrough(layers, row?.shape ?? impliedSource(layers)?.shape);
  const fresh = freshLayer(type);
  // A Linear layer inserted between others keeps the width, so that the following layers stay unchanged.
  const width = shapes[index + 1]?.at(-1);
  const sized =
    fresh.type === 'Linear' && width !== undefined && width <= LIMITS.units ? { ...fresh, out: width } : fresh;
  const named =
    type === 'TransformerBlock' && layers.some((l) => l.name === 'blocks.0') ? { ...sized, name: '' } : sized;
  return withLayers(config, renamed([...layers.slice(0, index + 1), named, ...layers.slice(index + 1)]), row);
}

export function withoutLayer(config: Config, index: number, row: RowOfData | undefined): Edit {
  return withLayers(config, renamed(config.model.layers.filter((_, i) => i !== index)), row);
}

/** Changes fields of one layer. */
export function withLayerField(
  config: Config,
  index: number,
  field: string,
  value: unknown,
  row: RowOfData | undefined,
): Edit {
  const layer = config.model.layers[index];
  if (!layer) return refused('there is no such layer');
  const { [field]: _, ...rest } = { ...layer } as Readonly<Record<string, unknown>>;
  const parsed = v.safeParse(layerSchema, value === undefined ? rest : { ...rest, [field]: value });
  if (!parsed.success) return refused(`${field} must be ${allowed(parsed.issues[0])}`);
  const changed = parsed.output;
  const { layers } = config.model;
  // A model with residual paths has one width, which its first layer sets.
  if (field === 'width' && 'width' in changed && index > 0) {
    const first = layers[0];
    if (first && 'width' in first) {
      const wider = { ...first, width: changed.width };
      return withLayers(config, [wider, ...layers.slice(1)], row);
    }
  }
  return withLayers(
    config,
    layers.map((old, i) => (i === index ? changed : old)),
    row,
  );
}

const PLAIN_ONLY = 'this model is not a plain stack of Linear layers with one activation';

/** Adds a hidden layer as wide as the last hidden layer, or removes the last hidden layer. */
export function withHiddenLayers(config: Config, change: 1 | -1): Edit {
  const net = plainNet(config);
  if (!net) return refused(PLAIN_ONLY);
  const hidden = net.sizes.slice(1, -1);
  if (change === -1 && hidden.length === 0) return refused('the model has no hidden layer to remove');
  const next = change === 1 ? [...hidden, hidden.at(-1) ?? 8] : hidden.slice(0, -1);
  return withNet(config, { ...net, sizes: [net.sizes[0] ?? 1, ...next, net.sizes.at(-1) ?? 1] });
}

/** `layer` counts the sizes: 1 is the first hidden layer. */
export function withUnits(config: Config, layer: number, units: number): Edit {
  const net = plainNet(config);
  if (!net) return refused(PLAIN_ONLY);
  return withNet(config, { ...net, sizes: net.sizes.map((size, index) => (index === layer ? units : size)) });
}

export function withActivation(config: Config, activation: Activation): Edit {
  const net = plainNet(config);
  return net ? withNet(config, { ...net, activation }) : refused(PLAIN_ONLY);
}
