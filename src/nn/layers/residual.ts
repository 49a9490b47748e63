/** y = layers(x) + shortcut(x), like the blocks of a ResNet; without a shortcut the input itself is added. */
import type { LayerOf } from '../../protocol/config';
import type { LayerDef } from '../layer';

export const residual: LayerDef<LayerOf<'Residual'>> = {
  forward(c, { layers, shortcut }, x) {
    const through = (branch: string, list: typeof layers) =>
      list.reduce((value, layer, i) => c.run(`${branch}.${layer.name ?? i}`, value), x);
    return c.apply('ops/add', [through('layers', layers), through('shortcut', shortcut ?? [])])[0];
  },
};
