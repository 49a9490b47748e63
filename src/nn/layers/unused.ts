/**
 * Modules that forward() does not call: they are constructed, saved and handed to the optimiser, and backward never
 * reaches them. What DDP's find_unused_parameters is for.
 */
import type { LayerOf } from '../../protocol/config';
import type { LayerDef } from '../layer';

export const unused: LayerDef<LayerOf<'Unused'>> = {
  forward(c, { layers }, x) {
    for (const [i, layer] of layers.entries()) c.declare(layer.name ?? String(i));
    return x;
  },
};
