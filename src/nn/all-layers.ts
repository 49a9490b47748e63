/** Every layer of a model, including layers inside others. */
import type { LayerConfig } from '../protocol/config';

export const allLayers = (layers: readonly LayerConfig[]): readonly LayerConfig[] => layers.flatMap(withInner);

const withInner = (layer: LayerConfig): readonly LayerConfig[] => {
  if (layer.type === 'Residual') return [layer, ...allLayers([...layer.layers, ...(layer.shortcut ?? [])])];
  return layer.type === 'Unused' ? [layer, ...allLayers(layer.layers)] : [layer];
};
