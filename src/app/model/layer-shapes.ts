/**
 * How the shape of one row changes through a list of layers: each layer's output shape, and the sizes of a layer that
 * follow from its input. Used to draw a model and to keep sizes consistent while the user edits. The rules shared with
 * the operators come from shapes/; the session decides whether a model runs. Pure.
 */
import * as v from 'valibot';
import { asPair, type LayerConfig, type LayerOf, LIMITS, layerSchema } from '../../protocol/config';
import { places, pooledPlaces, spanOf } from '../../shapes/window';

/** The shape of one row, without the batch: [features], [channels, height, width], [tokens], [tokens, width]. */
export type LayerShape = readonly number[];

/** The input that the data gives to the first layer. */
export interface Source {
  readonly shape: LayerShape;
  /** For tokens: the number of different ones. */
  readonly vocabulary?: number | undefined;
}

const product = (shape: LayerShape): number => shape.reduce((n, d) => n * d, 1);

/** `along`: computes the number of window positions along height (0) or width (1). */
function slid(
  shape: LayerShape,
  channels: number,
  along: (axis: 0 | 1, size: number) => number,
): LayerShape | undefined {
  if (shape.length !== 3) return undefined;
  const [height, width] = [along(0, shape[1] ?? 0), along(1, shape[2] ?? 0)];
  return height > 0 && width > 0 ? [channels, height, width] : undefined;
}

function convolved(
  shape: LayerShape,
  { out, kernel, stride, padding, dilation }: LayerOf<'Conv2d'>,
): LayerShape | undefined {
  const [k, s, d] = [asPair(kernel), asPair(stride), asPair(dilation)];
  if (padding === 'same') return slid(shape, out, (axis, size) => (s[axis] === 1 ? size : 0));
  const p = padding === 'valid' ? [0, 0] : asPair(padding);
  return slid(shape, out, (axis, size) => places(size + 2 * (p[axis] ?? 0), spanOf(k[axis], d[axis]), s[axis]));
}

function pooled(shape: LayerShape, layer: LayerOf<'MaxPool2d'> | LayerOf<'AvgPool2d'>): LayerShape | undefined {
  const [k, s, p] = [asPair(layer.kernel), asPair(layer.stride ?? layer.kernel), asPair(layer.padding)];
  const along = (axis: 0 | 1, size: number) => pooledPlaces(size, k[axis], p[axis], s[axis], layer.ceilMode);
  return slid(shape, shape[0] ?? 1, along);
}

/** The layer's output shape; undefined if the layer does not accept this input. */
export function outputOf(layer: LayerConfig, shape: LayerShape): LayerShape | undefined {
  switch (layer.type) {
    case 'Linear':
      return [...shape.slice(0, -1), layer.out];
    case 'Flatten':
      return [product(shape)];
    case 'Conv2d':
      return convolved(shape, layer);
    case 'MaxPool2d':
    case 'AvgPool2d':
      return pooled(shape, layer);
    case 'AdaptiveAvgPool2d':
      return shape.length === 3 ? [shape[0] ?? 1, ...asPair(layer.output)] : undefined;
    case 'BatchNorm2d':
      return shape.length === 3 ? shape : undefined;
    case 'BatchNorm1d':
      return shape.length < 3 ? shape : undefined;
    case 'Embedding':
    case 'TokenEmbedding':
      return shape.length === 1 ? [...shape, layer.width] : undefined;
    case 'MultiheadAttention':
    case 'TransformerBlock':
      return shape.length === 2 ? shape : undefined;
    case 'Residual':
      return outputOfAll(layer.layers, shape);
    default:
      return shape;
  }
}

export const outputOfAll = (layers: readonly LayerConfig[], shape: LayerShape | undefined): LayerShape | undefined =>
  layers.reduce<LayerShape | undefined>((now, layer) => now && outputOf(layer, now), shape);

/** The sizes of a layer that follow from its input. */
export function derivedSizes(
  type: LayerConfig['type'],
  { shape, vocabulary }: Source,
): Readonly<Record<string, number>> {
  const last = shape.at(-1);
  const channels = shape[0];
  if (last === undefined || channels === undefined) return {};
  switch (type) {
    case 'Linear':
      return { in: last };
    case 'Conv2d':
      return shape.length === 3 ? { in: channels } : {};
    case 'BatchNorm1d':
    case 'BatchNorm2d':
      return { features: channels };
    case 'GroupNorm':
      return { channels };
    case 'LayerNorm':
      return { features: last };
    case 'MultiheadAttention':
    case 'TransformerBlock':
      return { width: last };
    case 'Embedding':
      return vocabulary === undefined ? {} : { vocab: vocabulary };
    case 'TokenEmbedding':
      return {
        ...(vocabulary === undefined ? {} : { vocab: vocabulary }),
        ...(shape.length === 1 ? { context: last } : {}),
      };
    default:
      return {};
  }
}

const divisor = (of: number, atMost: number): number => {
  let found = Math.min(of, atMost);
  while (of % found !== 0) found--;
  return found;
};

/** The layer with its sizes adapted to the layer before; unchanged if such a layer is not allowed. */
export function fitLayer(layer: LayerConfig, source: Source): LayerConfig {
  if (layer.type === 'Residual') {
    const layers = fitLayers(layer.layers, source);
    return layer.shortcut ? { ...layer, layers, shortcut: fitLayers(layer.shortcut, source) } : { ...layer, layers };
  }
  if (layer.type === 'Unused') return layer;
  const sized = { ...layer, ...derivedSizes(layer.type, source) };
  const parts =
    'heads' in sized
      ? { heads: divisor(sized.width, sized.heads) }
      : sized.type === 'GroupNorm'
        ? { groups: divisor(sized.channels, sized.groups) }
        : sized.type === 'Conv2d'
          ? { groups: divisor(sized.out, divisor(sized.in, sized.groups)) }
          : {};
  const parsed = v.safeParse(layerSchema, { ...sized, ...parts });
  return parsed.success ? parsed.output : layer;
}

export function fitLayers(layers: readonly LayerConfig[], source: Source): LayerConfig[] {
  let now: Source | undefined = source;
  return layers.map((layer) => {
    if (!now) return layer;
    const fitted = fitLayer(layer, now);
    const shape = outputOf(fitted, now.shape);
    now = shape && { shape };
    return fitted;
  });
}

/** The first layer whose input would exceed the limit, and the input's size. */
export function tooLarge(
  layers: readonly LayerConfig[],
  source: Source,
): readonly [index: number, size: number] | undefined {
  let now: Source | undefined = source;
  for (const [index, layer] of layers.entries()) {
    if (!now) return undefined;
    const size = Math.max(0, ...Object.values(derivedSizes(layer.type, now)));
    if (size > LIMITS.units) return [index, size];
    const shape = outputOf(layer, now.shape);
    now = shape && { shape };
  }
  return undefined;
}

/** A row's shape before each layer and after the last; undefined from the first unknown shape on. */
export function shapesThrough(
  layers: readonly LayerConfig[],
  shape: LayerShape | undefined,
): readonly (LayerShape | undefined)[] {
  const shapes: (LayerShape | undefined)[] = [shape];
  for (const layer of layers) {
    const before = shapes.at(-1);
    shapes.push(before && outputOf(layer, before));
  }
  return shapes;
}
