/**
 * torch.nn.Dropout: in training x times a mask of 0 and 1 / (1 - p), drawn as torch's CPU generator draws it; in
 * evaluation x itself.
 */
import type { LayerOf } from '../../protocol/config';
import type { LayerDef } from '../layer';

export const dropout: LayerDef<LayerOf<'Dropout'>> = {
  forward(c, { p }, x) {
    if (!c.training || p === 0) return x;
    return c.apply('ops/mul', [x, c.mask(c.typeOf(x).shape, p)])[0];
  },
};
