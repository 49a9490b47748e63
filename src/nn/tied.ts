/**
 * Weights that are in a state_dict under a second name, because a Linear layer shares them. For those who read and
 * write files of weights or scripts.
 */
import type { LayerConfig } from '../protocol/config';
import { childrenOf } from '../shapes/parameters';
import { joinNames } from './join-names';
import { layerPath } from './model';

export interface TiedName {
  /** 'head.weight'. */
  readonly name: string;
  /** The parameter that it is: 'tok.weight'. */
  readonly source: string;
}

/** In the order of the layers. */
export function tiedNames(layers: readonly LayerConfig[]): readonly TiedName[] {
  const below = (layer: LayerConfig, path: string): readonly TiedName[] => {
    const own =
      layer.type === 'Linear' && layer.tied !== undefined
        ? [{ name: joinNames(path, 'weight'), source: layer.tied }]
        : [];
    const children = childrenOf(layer);
    return [...own, ...children.flatMap(([name, child]) => below(child, joinNames(path, name)))];
  };
  return layers.flatMap((layer, i) => below(layer, layerPath(layer, i)));
}

/** For each shared weight its names, first the name that the run gives it. */
export function sharedNames(layers: readonly LayerConfig[]): readonly (readonly string[])[] {
  const found = new Map<string, string[]>();
  for (const { name, source } of tiedNames(layers)) found.set(source, [...(found.get(source) ?? [source]), name]);
  return [...found.values()];
}
