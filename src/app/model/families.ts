/**
 * The models that the page knows by a few numbers: a plain net (sizes and activation), the convolutional net of the
 * presets (channels), the GPT of the presets (layers, heads, width). Printer and reader of each are side by side:
 * what is recognised is exactly what would be made. Pure.
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
/** Equal as data, in whatever order the fields are. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

const parseLayers = (layers: readonly unknown[]): LayerConfig[] =>
  layers.map((layer) => parsePart(layerSchema, layer, 'The model does not fit these data'));

/** A plain net: Linear layers with bias and one kind of activation between them; `flat` where a Flatten comes first. */
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

/** Inputs and the outputs of each Linear layer; undefined when there is none. */
export function netSizes(layers: readonly LayerConfig[]): readonly number[] | undefined {
  const linear = layers.filter((layer) => layer.type === 'Linear');
  const first = linear[0];
  return first && [first.in, ...linear.map((layer) => layer.out)];
}

/** Undefined when the model is not such a net. A net without hidden layer counts as tanh. */
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

/** The presets' convolutional net on such rows. */
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

/** The presets' GPT over that many tokens and positions. */
export function gptOf(net: GptNet, vocab: number, context: number): LayerConfig[] {
  return parseLayers(gptLayers({ ...net, vocab, context }));
}

export function gptNetOf(layers: readonly LayerConfig[]): GptNet | undefined {
  const [first, second] = layers;
  if (first?.type !== 'TokenEmbedding' || second?.type !== 'TransformerBlock') return undefined;
  const net = { layers: layers.length - 3, heads: second.heads, width: first.width };
  return same(gptOf(net, first.vocab, first.context), layers) ? net : undefined;
}
