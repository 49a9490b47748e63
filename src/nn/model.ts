/**
 * nn.Sequential as a graph builder: walks the layers of the Config (defined in layers/) and returns their parameters,
 * buffers, initial values and forward nodes, with the names of PyTorch's state_dict ('0.weight', 'blocks.1.ln1.bias').
 * `parallel` calls it with the whole model, or with the range of layers that a device holds. It decides nothing about
 * devices.
 */
import { at } from '../base/invariant';
import type { GraphBuilder } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { LayerConfig, LossConfig } from '../protocol/config';
import { childrenOf, type ParameterSpec, parametersOf } from '../shapes/parameters';
import type { Generator } from '../tensor/generator';
import { elements, type HostArray, type Shape } from '../tensor/shape';
import { createForwardWalk } from './forward-walk';
import { joinNames } from './join-names';
import type { LayerBuffer, Synced } from './layer';
import { layerDef } from './layers';
import { LOSS_WEIGHTS, lossWeights } from './losses';

export interface InitialParameter {
  readonly name: string;
  readonly shape: Shape;
  readonly data: Float32Array<ArrayBuffer>;
}

/** A tensor of the model that is kept between steps but not trained, with its initial value. */
export interface InitialBuffer {
  readonly name: string;
  readonly shape: Shape;
  readonly data: HostArray;
}

export interface ForwardValues {
  readonly output: ValueId;
  /** In registration order; a tied weight occurs once, at its first layer. */
  readonly parameters: readonly { readonly name: string; readonly value: ValueId }[];
  /** In the order of the forward pass, which is the order of their draws. */
  readonly masks: readonly { readonly name: string; readonly p: number }[];
  /** The nodes of each layer, as a half-open range of the graph's. */
  readonly nodesOfLayer: readonly { readonly start: number; readonly end: number }[];
}

/** Layers [start, end) of the model. */
export interface LayerRange {
  readonly start: number;
  readonly end: number;
}

export interface ForwardOptions {
  readonly range?: LayerRange | undefined;
  /** model.train() (default) or model.eval(). */
  readonly training?: boolean;
  /** Batch norm in training is SyncBatchNorm over these ranks. */
  readonly synced?: Synced | undefined;
  /** Parameters and buffers made so far, if layers are built one by one. */
  readonly made?: Map<string, ValueId>;
}

/** Prefix of the names of a layer's parameters: its name, or its index in the Sequential. */
export const layerPath = (layer: LayerConfig, index: number): string => layer.name ?? String(index);

function ownAndBelow<T extends { readonly name: string }>(
  layer: LayerConfig,
  path: string,
  own: (layer: LayerConfig) => readonly T[] | undefined,
): readonly T[] {
  const named = (own(layer) ?? []).map((spec) => ({ ...spec, name: joinNames(path, spec.name) }));
  const children = childrenOf(layer);
  return [...named, ...children.flatMap(([name, child]) => ownAndBelow(child, joinNames(path, name), own))];
}

/** Parameters of one layer by full name. */
export const parametersOfLayer = (layer: LayerConfig, index: number): readonly ParameterSpec[] =>
  ownAndBelow(layer, layerPath(layer, index), parametersOf);

/** All parameters in registration order: layer by layer, a layer's own first, then its children's. */
export const parameterList = (layers: readonly LayerConfig[]): readonly ParameterSpec[] =>
  layers.flatMap(parametersOfLayer);

/** Buffers of one layer, such as running statistics, by full name. */
export const buffersOfLayer = (layer: LayerConfig, index: number): readonly LayerBuffer[] =>
  ownAndBelow(layer, layerPath(layer, index), (l) => layerDef(l).buffers?.(l));

/** All buffers in registration order. */
export const bufferSpecs = (layers: readonly LayerConfig[]): readonly LayerBuffer[] => layers.flatMap(buffersOfLayer);

/** Buffers of model and loss before the first step. */
export function initialBuffers(layers: readonly LayerConfig[], loss: LossConfig): readonly InitialBuffer[] {
  const own = bufferSpecs(layers).map(({ name, shape, dtype, fill }) => {
    const data = dtype === 'i32' ? new Int32Array(elements(shape)) : new Float32Array(elements(shape));
    return { name, shape, data: data.fill(fill) };
  });
  const weights = lossWeights(loss);
  if (!weights) return own;
  return [...own, { name: LOSS_WEIGHTS, shape: [weights.length], data: Float32Array.from(weights) }];
}

/** The values that `nn.Sequential(...)` has after `torch.manual_seed`, drawn module by module. */
export function initialParameters(layers: readonly LayerConfig[], generator: Generator): readonly InitialParameter[] {
  const draw = (layer: LayerConfig, path: string): readonly InitialParameter[] => {
    const def = layerDef(layer);
    const data = def.init?.(layer, generator) ?? [];
    const own = parametersOf(layer).map(({ name, shape }, i) => ({
      name: joinNames(path, name),
      shape,
      data: at(data, i),
    }));
    return [...own, ...childrenOf(layer).flatMap(([name, child]) => draw(child, joinNames(path, name)))];
  };
  return layers.flatMap((layer, i) => draw(layer, layerPath(layer, i)));
}

/**
 * Append the forward nodes of the layers in `range` (default: all) to the graph and make their parameters. A layer's
 * result is named '<path>.out'. Throws LockstepError('shape') where sizes do not fit; `checkModel` says more.
 */
export function buildForward(
  builder: GraphBuilder,
  layers: readonly LayerConfig[],
  input: ValueId,
  { range, training = true, synced, made = new Map() }: ForwardOptions = {},
): ForwardValues {
  const { start, end } = range ?? { start: 0, end: layers.length };
  const walk = createForwardWalk(builder, { training, synced, made });
  const nodesOfLayer: { start: number; end: number }[] = [];
  let current = input;
  for (let index = start; index < end; index++) {
    const layer = at(layers, index);
    const first = builder.size;
    current = walk.forward(layer, layerPath(layer, index), current);
    nodesOfLayer.push({ start: first, end: builder.size });
  }
  const { parameters, masks } = walk;
  return { output: current, parameters: inRegistrationOrder(layers, parameters), masks, nodesOfLayer };
}

/** The forward pass may meet parameters in another order than torch registers them. */
function inRegistrationOrder<T extends { readonly name: string }>(
  layers: readonly LayerConfig[],
  found: readonly T[],
): readonly T[] {
  const place = new Map(parameterList(layers).map((p, i) => [p.name, i]));
  return [...found].sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
}
