/** torch.nn.Conv2d: images [N, C, H, W]. */
import { asPair, type LayerOf } from '../../protocol/config';
import { initConv } from '../../tensor/init';
import type { LayerDef } from '../layer';

export const conv2d: LayerDef<LayerOf<'Conv2d'>> = {
  init(layer, generator) {
    const shape = [layer.out, layer.in / layer.groups, ...asPair(layer.kernel)];
    const { weight, bias } = initConv(generator, shape, layer.bias);
    return bias ? [weight, bias] : [weight];
  },
  forward(c, { bias, stride, padding, dilation, groups }, x) {
    const attrs = {
      stride: asPair(stride),
      padding: typeof padding === 'string' ? padding : asPair(padding),
      dilation: asPair(dilation),
      groups,
    };
    return c.apply('conv/conv2d', [x, c.parameter('weight'), ...(bias ? [c.parameter('bias')] : [])], attrs)[0];
  },
};
