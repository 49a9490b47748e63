/**
 * Modules that forward() does not call: they are constructed, saved and given to the optimiser, but backward never
 * reaches them. DDP's find_unused_parameters handles them.
 */
import type { LayerOf } from '../../protocol/config';
import type { LayerDef } from '../layer';

export const unused: LayerDef<LayerOf<'Unused'>> = {
  forward(c, { layers }, x) {
    for (const [i, layer] of layers.entries()) c.declare(layer.name ?? String(i));
    return x;
  },
};
