/** torch.nn.Linear: y = x W^T + b over the last dimension; `tied` takes the weight from an earlier layer. */
import type { LayerOf } from '../../protocol/config';
import { initLinear, initLinearBias } from '../../tensor/init';
import type { LayerDef } from '../layer';

export const linear: LayerDef<LayerOf<'Linear'>> = {
  init({ in: inFeatures, out, bias: hasBias, tied }, generator) {
    if (tied === undefined) {
      const { weight, bias } = initLinear(generator, inFeatures, out, hasBias);
      return bias ? [weight, bias] : [weight];
    }
    // torch replaces a tied weight after constructing it, so the draw is consumed anyway.
    generator.skipUniform(out * inFeatures);
    return hasBias ? [initLinearBias(generator, inFeatures, out)] : [];
  },
  forward(c, { bias, tied }, x) {
    const weight = tied === undefined ? c.parameter('weight') : c.shared(tied);
    return c.apply('ops/linear', [x, weight, ...(bias ? [c.parameter('bias')] : [])])[0];
  },
};
