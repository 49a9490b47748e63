/** torch.nn.MaxPool2d, AvgPool2d, AdaptiveAvgPool2d over images [N, C, H, W], and Flatten(start_dim=1). */

import { asPair, type LayerOf } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import type { LayerDef } from '../layer';

/** Attributes of the operators. */
const windowOf = ({ kernel, stride, padding, ceilMode }: LayerOf<'MaxPool2d'> | LayerOf<'AvgPool2d'>) => ({
  kernelSize: asPair(kernel),
  stride: asPair(stride ?? kernel),
  padding: asPair(padding),
  ...(ceilMode ? { ceilMode } : {}),
});

export const maxPool2d: LayerDef<LayerOf<'MaxPool2d'>> = {
  forward: (c, layer, x) => c.apply('conv/max-pool2d', [x], windowOf(layer))[0],
};

export const avgPool2d: LayerDef<LayerOf<'AvgPool2d'>> = {
  forward: (c, layer, x) =>
    c.apply('conv/avg-pool2d', [x], {
      ...windowOf(layer),
      ...(layer.countIncludePad ? {} : { countIncludePad: false }),
    })[0],
};

export const adaptiveAvgPool2d: LayerDef<LayerOf<'AdaptiveAvgPool2d'>> = {
  forward: (c, { output }, x) => c.apply('conv/adaptive-avg-pool2d', [x], { outputSize: asPair(output) })[0],
};

export const flatten: LayerDef<LayerOf<'Flatten'>> = {
  forward(c, _, x) {
    const [rows = 1, ...rest] = c.typeOf(x).shape;
    return c.apply('shape/reshape', [x], { shape: [rows, elements(rest)] })[0];
  },
};
