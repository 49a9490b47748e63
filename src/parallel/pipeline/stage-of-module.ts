/** The stage that has a module, by the module's path. For the listing and the notices of a pipeline. */
import type { LayerConfig } from '../../protocol/config';
import type { layerRanges } from './split';

/** Returns a function from a module's path to the stage that has the module. */
export function stageOfModule(layers: readonly LayerConfig[], ranges: ReturnType<typeof layerRanges>) {
  const paths = layers.map((layer, i) => layer.name ?? String(i));
  return (path: string): number => {
    const own = paths.findIndex((layer) => path === layer || (layer !== '' && path.startsWith(`${layer}.`)));
    const layer = own < 0 ? paths.indexOf('') : own;
    return ranges.findIndex(({ start, end }) => layer >= start && layer < end);
  };
}
