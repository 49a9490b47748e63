/** The activations: modules without parameters, one operator each. */
import type { Attrs } from '../../graph/op';
import type { LayerConfig, LayerOf } from '../../protocol/config';
import type { LayerDef } from '../layer';

function activation<L extends LayerConfig>(op: string, attrs: (layer: L) => Attrs = () => ({})): LayerDef<L> {
  return { forward: (c, layer, x) => c.apply(op, [x], attrs(layer))[0] };
}

export const relu = activation<LayerOf<'ReLU'>>('ops/relu');
export const tanh = activation<LayerOf<'Tanh'>>('ops/tanh');
export const sigmoid = activation<LayerOf<'Sigmoid'>>('ops/sigmoid');
export const gelu = activation<LayerOf<'GELU'>>('ops/gelu', ({ approximate }) => ({ approximate }));
export const leakyRelu = activation<LayerOf<'LeakyReLU'>>('ops/leaky-relu', ({ negativeSlope }) => ({ negativeSlope }));
export const elu = activation<LayerOf<'ELU'>>('ops/elu', ({ alpha }) => ({ alpha }));
export const silu = activation<LayerOf<'SiLU'>>('ops/silu');
export const softplus = activation<LayerOf<'Softplus'>>('ops/softplus');
export const softmax = activation<LayerOf<'Softmax'>>('ops/softmax');
export const logSoftmax = activation<LayerOf<'LogSoftmax'>>('ops/log-softmax');
