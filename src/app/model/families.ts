/**
 * The models that a few numbers describe: a plain net (sizes and activation), the presets' convolutional net
 * (channels), the presets' GPT (layers, heads, width). For each there is a function that makes it and one that
 * recognises exactly what the first makes. Pure.
 */

import { parsePart } from '../../config/issue-words';
import { type LayerConfig, layerSchema } from '../../protocol/config';
import { cnnLayers, gptLayers } from '../../protocol/presets';
import { fitLayers, type Source } from './layer-shapes';

export type Activation = 'relu' | 'tanh' | 'sigmoid' | 'gelu' | 'gelu-tanh';
export const ACTIVATIONS: Readonly<Record<Activation, LayerConfig>> = {
  relu: { type: 'ReLU' },
  tanh: { type: 'Tanh' },
  sigmoid: { type: 'Sigmoid' },
  gelu: { type: 'GELU', approximate: 'none' },
  'gelu-tanh': { type: 'GELU', approximate: 'tanh' },
};
export const ACTIVATION_NAMES = Object.keys(ACTIVATIONS) as readonly Activation[];

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== undefined)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, canonical(inner)]),
        )
      : value;
/** Whether two values are equal as data, in any order of fields. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

const parseLayers = (layers: readonly unknown[]): LayerConfig[] =>
  layers.map((layer) => parsePart(layerSchema, layer, 'The model does not fit these data'));

/** A plain net: Linear layers with bias and one kind of activation between them; `flat`: a Flatten comes first. */
export interface PlainNet {
  /** Inputs, hidden units, outputs. */
  readonly sizes: readonly number[];
  readonly activation: Activation;
  readonly flat?: boolean;
}

export function plainLayers({ sizes, activation, flat = false }: PlainNet): readonly LayerConfig[] {
  const layers = sizes.slice(1).flatMap((out, index): LayerConfig[] => {
    const linear: LayerConfig = { type: 'Linear', in: sizes[index] ?? 1, out, bias: true };
    return index === 0 ? [linear] : [ACTIVATIONS[activation], linear];
  });
  return flat ? [{ type: 'Flatten' }, ...layers] : layers;
}

/** The inputs of the first and the outputs of each Linear layer; undefined if there are none. */
export function netSizes(layers: readonly LayerConfig[]): readonly number[] | undefined {
  const linear = layers.filter((layer) => layer.type === 'Linear');
  const first = linear[0];
  return first && [first.in, ...linear.map((layer) => layer.out)];
}

/** Undefined if the model is not a plain net. A net without hidden layers counts as tanh. */
export function plainNetOf(layers: readonly LayerConfig[]): PlainNet | undefined {
  const sizes = netSizes(layers);
  if (!sizes) return undefined;
  const flat = layers[0]?.type === 'Flatten';
  const second = layers[flat ? 2 : 1];
  const activation = ACTIVATION_NAMES.find((name) => same(ACTIVATIONS[name], second)) ?? (second ? undefined : 'tanh');
  if (!activation) return undefined;
  const net = flat ? { sizes, activation, flat } : { sizes, activation };
  return same(plainLayers(net), layers) ? net : undefined;
}

export type Channels = readonly [number, number];

/** The presets' convolutional net for such rows. */
export function cnnOf(channels: Channels, classes: number, source: Source): LayerConfig[] {
  return fitLayers(parseLayers(cnnLayers(28, channels, classes)), source);
}

export function channelsOf(layers: readonly LayerConfig[], source: Source | undefined): Channels | undefined {
  const [first, second] = layers.flatMap((layer) => (layer.type === 'Conv2d' ? [layer.out] : []));
  const head = layers.at(-1);
  if (!source || first === undefined || second === undefined || head?.type !== 'Linear') return undefined;
  return same(cnnOf([first, second], head.out, source), layers) ? [first, second] : undefined;
}

export interface GptNet {
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
}

/** The presets' GPT for this many tokens and positions. */
export function gptOf(net: GptNet, vocab: number, context: number): LayerConfig[] {
  return parseLayers(gptLayers({ ...net, vocab, context }));
}

export function gptNetOf(layers: readonly LayerConfig[]): GptNet | undefined {
  const [first, second] = layers;
  if (first?.type !== 'TokenEmbedding' || second?.type !== 'TransformerBlock') return undefined;
  const net = { layers: layers.length - 3, heads: second.heads, width: first.width };
  return same(gptOf(net, first.vocab, first.context), layers) ? net : undefined;
}
