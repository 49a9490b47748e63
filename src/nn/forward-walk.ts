/**
 * Runs layers one after the other into a graph: gives each layer a context for building its forward nodes, and collects
 * what the layers have made. Called by model.ts.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { GraphBuilder } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { LayerConfig } from '../protocol/config';
import { childrenOf, parametersOf } from '../shapes/parameters';
import type { DType, Shape } from '../tensor/shape';
import { joinNames } from './join-names';
import type { LayerContext, Synced } from './layer';
import { layerDef } from './layers';

export interface ForwardWalkOptions {
  readonly training: boolean;
  readonly synced: Synced | undefined;
  /** Parameters and buffers by full name; grows. */
  readonly made: Map<string, ValueId>;
}

export interface ForwardWalk {
  /** The output of the layer. */
  forward(layer: LayerConfig, path: string, x: ValueId): ValueId;
  /** Parameters that this walk has made, in the order in which the layers requested them. */
  readonly parameters: readonly { readonly name: string; readonly value: ValueId }[];
  readonly masks: readonly { readonly name: string; readonly p: number }[];
}

export function createForwardWalk(builder: GraphBuilder, { training, synced, made }: ForwardWalkOptions): ForwardWalk {
  const parameters: { name: string; value: ValueId }[] = [];
  const masks: { name: string; p: number }[] = [];

  /** Makes the tensor when a layer first requests it. */
  const tensor = (
    full: string,
    kind: 'parameter' | 'buffer',
    spec: { readonly shape: Shape; readonly dtype?: DType } | undefined,
  ): ValueId => {
    const known = made.get(full);
    if (known !== undefined) return known;
    const { shape, dtype = 'f32' } = must(spec, full);
    const value = builder.value(full, { shape, dtype }, kind);
    made.set(full, value);
    if (kind === 'parameter') parameters.push({ name: full, value });
    return value;
  };
  const buffersOf = (layer: LayerConfig) => layerDef(layer).buffers?.(layer) ?? [];

  const contextOf = (layer: LayerConfig, path: string): LayerContext => {
    const child = (name: string): LayerConfig =>
      must(
        childrenOf(layer).find(([own]) => own === name),
        `child ${name} of ${path}`,
      )[1];
    const named = <T extends { readonly name: string }>(specs: readonly T[], name: string) =>
      specs.find((spec) => spec.name === name);
    return {
      training,
      synced,
      typeOf: (value) => builder.typeOf(value),
      parameter: (name) => tensor(joinNames(path, name), 'parameter', named(parametersOf(layer), name)),
      buffer: (name) => tensor(joinNames(path, name), 'buffer', named(buffersOf(layer), name)),
      shared(full) {
        const value = made.get(full);
        if (value !== undefined) return value;
        throw new LockstepError(
          'placement',
          `Layer ${path} shares the weight ${full}, but no earlier layer on the same device has that weight.`,
          'Tie the weight to a parameter of an earlier layer. Under model parallel, put both layers on one device, or untie them.',
          { layer: path, parameter: full },
        );
      },
      apply(op, inputs, attrs = {}, { names = ['out'], into } = {}) {
        const placement = { module: path, phase: 'forward', names: names.map((n) => joinNames(path, n)) } as const;
        const outputs = builder.apply(op, inputs, attrs, into ? { ...placement, into } : placement);
        return [at(outputs, 0), ...outputs.slice(1)];
      },
      mask(shape, p) {
        const name = joinNames(path, 'mask');
        masks.push({ name, p });
        return builder.value(name, { shape, dtype: 'f32' }, 'mask');
      },
      run: (name, x) => forward(child(name), joinNames(path, name), x),
      inside: (name) => contextOf(child(name), joinNames(path, name)),
      declare: (name) => declare(child(name), joinNames(path, name)),
    };
  };
  const declare = (layer: LayerConfig, path: string): void => {
    const context = contextOf(layer, path);
    for (const { name } of parametersOf(layer)) context.parameter(name);
    for (const { name } of buffersOf(layer)) context.buffer(name);
    for (const [name, inner] of childrenOf(layer)) declare(inner, joinNames(path, name));
  };
  const forward = (layer: LayerConfig, path: string, x: ValueId): ValueId =>
    layerDef(layer).forward(contextOf(layer, path), layer, x);

  return { forward, parameters, masks };
}
