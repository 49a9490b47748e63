/**
 * The parts of each layer: its parameters with torch's names and shapes, and the layers inside it. Read by the model
 * builder (nn/), and by the page, which counts parameters while the user edits. Pure.
 */
import { asPair, type LayerConfig, type LayerOf, type LayerType } from '../protocol/config';

export interface ParameterSpec {
  /** The name relative to the layer: 'weight'. */
  readonly name: string;
  readonly shape: readonly number[];
}

/** A layer inside another one, with its name there. */
export type Child = readonly [name: string, layer: LayerConfig];

type PerLayer<R> = { readonly [T in LayerType]?: (layer: LayerOf<T>) => R };

const affine = (enabled: boolean, size: number): readonly ParameterSpec[] =>
  enabled
    ? [
        { name: 'weight', shape: [size] },
        { name: 'bias', shape: [size] },
      ]
    : [];
const batchNorm = (layer: LayerOf<'BatchNorm1d'> | LayerOf<'BatchNorm2d'>) => affine(layer.affine, layer.features);

/** In registration order; children's parameters come after the layer's own. */
const PARAMETERS: PerLayer<readonly ParameterSpec[]> = {
  Linear: ({ in: inFeatures, out, bias, tied }) => [
    ...(tied === undefined ? [{ name: 'weight', shape: [out, inFeatures] }] : []),
    ...(bias ? [{ name: 'bias', shape: [out] }] : []),
  ],
  Conv2d: ({ in: channels, out, groups, kernel, bias }) => [
    { name: 'weight', shape: [out, channels / groups, ...asPair(kernel)] },
    ...(bias ? [{ name: 'bias', shape: [out] }] : []),
  ],
  BatchNorm1d: batchNorm,
  BatchNorm2d: batchNorm,
  LayerNorm: ({ features, affine: enabled, bias }) => affine(enabled, features).slice(0, bias ? 2 : 1),
  GroupNorm: ({ channels, affine: enabled }) => affine(enabled, channels),
  Embedding: ({ vocab, width }) => [{ name: 'weight', shape: [vocab, width] }],
  MultiheadAttention: ({ width, bias }) => [
    { name: 'in_proj_weight', shape: [3 * width, width] },
    ...(bias ? [{ name: 'in_proj_bias', shape: [3 * width] }] : []),
    { name: 'out_proj.weight', shape: [width, width] },
    ...(bias ? [{ name: 'out_proj.bias', shape: [width] }] : []),
  ],
};

const named = (layers: readonly LayerConfig[], prefix = ''): readonly Child[] =>
  layers.map((layer, i): Child => [`${prefix}${layer.name ?? i}`, layer]);

const CHILDREN: PerLayer<readonly Child[]> = {
  TokenEmbedding: ({ vocab, context, width }) => [
    ['tok', { type: 'Embedding', vocab, width }],
    ['pos', { type: 'Embedding', vocab: context, width }],
  ],
  TransformerBlock({ width, expansion, dropout }) {
    const norm = { type: 'LayerNorm', features: width, eps: 1e-5, affine: true, bias: true } as const;
    const linear = (into: number, out: number) => ({ type: 'Linear', in: into, out, bias: true }) as const;
    const drop = { type: 'Dropout', p: dropout } as const;
    return [
      ['ln1', norm],
      ['qkv', linear(width, 3 * width)],
      ['proj', linear(width, width)],
      ['ln2', norm],
      ['fc1', linear(width, expansion * width)],
      ['gelu', { type: 'GELU', approximate: 'none' }],
      ['fc2', linear(expansion * width, width)],
      ...(dropout > 0
        ? ([
            ['drop1', drop],
            ['drop2', drop],
          ] as const)
        : []),
    ];
  },
  Residual: ({ layers, shortcut }) => [...named(layers, 'layers.'), ...named(shortcut ?? [], 'shortcut.')],
  Unused: ({ layers }) => named(layers),
};

/** Each function is always called with a layer of its own type. */
const ofLayer = <R>(table: PerLayer<readonly R[]>, layer: LayerConfig): readonly R[] =>
  (table[layer.type] as ((layer: LayerConfig) => readonly R[]) | undefined)?.(layer) ?? [];

/** The layer's own parameters. */
export const parametersOf = (layer: LayerConfig): readonly ParameterSpec[] => ofLayer(PARAMETERS, layer);

export const childrenOf = (layer: LayerConfig): readonly Child[] => ofLayer(CHILDREN, layer);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** The number of trained values of a layer and the layers inside it, without running statistics and tied weights. */
export function parameterCount(layer: LayerConfig): number {
  const own = sum(parametersOf(layer).map(({ shape }) => shape.reduce((n, d) => n * d, 1)));
  return own + sum(childrenOf(layer).map(([, child]) => parameterCount(child)));
}
