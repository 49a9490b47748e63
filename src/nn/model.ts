/**
 * nn.Sequential as a graph builder: layers and a loss of the Config become nodes, with the parameter names of PyTorch's state_dict ('0.weight',
 * '0.bias', '2.weight'). `parallel` calls it with the whole model, or with the range of layers that a device holds; `session` asks for
 * the parameters and their initial values. It decides nothing about devices.
 */
import { at } from '../base/invariant';
import type { GraphBuilder } from '../graph/graph';
import type { Attrs, ValueId } from '../graph/op';
import type { LayerConfig, LossConfig } from '../protocol/config';
import type { Generator } from '../tensor/generator';
import { initLinear } from '../tensor/init';
import type { Shape } from '../tensor/shape';

export interface ParameterSpec {
  readonly name: string;
  readonly shape: Shape;
}

export interface InitialParameter {
  readonly name: string;
  readonly shape: Shape;
  readonly data: Float32Array<ArrayBuffer>;
}

export interface ForwardValues {
  readonly output: ValueId;
  readonly parameters: readonly { readonly name: string; readonly value: ValueId }[];
}

/** Layers [start, end) of the model. */
export interface LayerRange {
  readonly start: number;
  readonly end: number;
}

type Activation = Exclude<LayerConfig['type'], 'Linear'>;

const OP_OF: Readonly<Record<Activation, string>> = {
  ReLU: 'ops/relu',
  Tanh: 'ops/tanh',
  Sigmoid: 'ops/sigmoid',
  GELU: 'ops/gelu',
  Softmax: 'ops/softmax',
  LogSoftmax: 'ops/log-softmax',
};

const LOSS_OP: Readonly<Record<LossConfig['type'], string>> = {
  MSELoss: 'loss/mse',
  CrossEntropyLoss: 'loss/cross-entropy',
  BCEWithLogitsLoss: 'loss/bce-with-logits',
};

function layerParameters(layer: LayerConfig, index: number): readonly ParameterSpec[] {
  if (layer.type !== 'Linear') return [];
  const weight = { name: `${index}.weight`, shape: [layer.out, layer.in] };
  return layer.bias ? [weight, { name: `${index}.bias`, shape: [layer.out] }] : [weight];
}

/** All parameters in registration order: weight, then bias, layer by layer. */
export function parameterList(layers: readonly LayerConfig[]): readonly ParameterSpec[] {
  return layers.flatMap(layerParameters);
}

/**
 * Append the forward nodes of the layers in `range` (default: all) to the graph and make their parameters. Activations are named '<layer>.out';
 * layers keep their index in the whole model. Throws LockstepError('shape') where sizes do not fit; `checkModel` says more.
 */
export function buildForward(
  builder: GraphBuilder,
  layers: readonly LayerConfig[],
  input: ValueId,
  range?: LayerRange,
): ForwardValues {
  const { start, end } = range ?? { start: 0, end: layers.length };
  const parameters: { name: string; value: ValueId }[] = [];
  let current = input;
  for (let index = start; index < end; index++) {
    const layer = at(layers, index);
    const made = layerParameters(layer, index).map((p) => {
      const value = builder.value(p.name, { shape: p.shape, dtype: 'f32' }, 'parameter');
      parameters.push({ name: p.name, value });
      return value;
    });
    const op = layer.type === 'Linear' ? 'ops/linear' : OP_OF[layer.type];
    const attrs: Attrs = layer.type === 'GELU' ? { approximate: layer.approximate } : {};
    const placement = { module: String(index), phase: 'forward', names: [`${index}.out`] } as const;
    current = at(builder.apply(op, [current, ...made], attrs, placement), 0);
  }
  return { output: current, parameters };
}

/** Append the loss: a value named 'loss' of shape [1]. */
export function buildLoss(builder: GraphBuilder, loss: LossConfig, output: ValueId, target: ValueId): ValueId {
  const placement = { module: '', phase: 'loss', names: ['loss'] } as const;
  return at(builder.apply(LOSS_OP[loss.type], [output, target], { reduction: loss.reduction }, placement), 0);
}

/** The values that `nn.Sequential(...)` has after `torch.manual_seed`: drawn weight, then bias, Linear by Linear. */
export function initialParameters(layers: readonly LayerConfig[], generator: Generator): readonly InitialParameter[] {
  return layers.flatMap((layer, index) => {
    if (layer.type !== 'Linear') return [];
    const { weight, bias } = initLinear(generator, layer.in, layer.out, layer.bias);
    const first = { name: `${index}.weight`, shape: [layer.out, layer.in], data: weight };
    return bias ? [first, { name: `${index}.bias`, shape: [layer.out], data: bias }] : [first];
  });
}
