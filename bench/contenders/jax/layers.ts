/**
 * A model in jax-js, layer by layer, in the usual style of its nn and lax modules. Weights are stored as a user of
 * jax-js would store them: a Linear's as [in, out]. Every use of an array consumes it, hence the `.ref`s.
 */
import { type Array as JaxArray, lax, nn, numpy as np } from '@jax-js/jax';
import type { BenchTensor } from '../../../src/bench/bench';
import type { LayerInput } from '../../../src/protocol/config';

export type Parameters = { [name: string]: JaxArray };
/** Parameters by name; each is taken once. */
type Take = (name: string) => JaxArray;

/** Running statistics are updated with the batch's statistics, as in training mode. */
export interface Statistics {
  readonly mean: JaxArray;
  readonly variance: JaxArray;
}

const MOMENTUM = 0.1;
const LAYER_NORM_EPS = 1e-5;

/** Linear weights [out, in] transposed; all other weights unchanged. */
export function toJax({ name, shape, data }: BenchTensor, layers: readonly LayerInput[]): JaxArray {
  const array = np.array(Float32Array.from(data)).reshape([...shape]);
  const isTable = /(^|\.)(tok|pos)\.weight$/.test(name) && layers.some(({ type }) => type === 'TokenEmbedding');
  return shape.length === 2 && !isTable ? np.transpose(array) : array;
}

const linear = (x: JaxArray, take: Take, name: string, bias = true): JaxArray => {
  const product = np.matmul(x, take(`${name}.weight`));
  return bias ? product.add(take(`${name}.bias`)) : product;
};

const layerNorm = (x: JaxArray, take: Take, name: string): JaxArray =>
  nn
    .standardize(x, -1, { epsilon: LAYER_NORM_EPS })
    .mul(take(`${name}.weight`))
    .add(take(`${name}.bias`));

function batchNorm(x: JaxArray, take: Take, name: string, moved: Map<string, Statistics>): JaxArray {
  const channels = x.shape[1] ?? 1;
  const count = x.size / channels;
  const perChannel = (value: JaxArray) => value.reshape([1, channels, 1, 1]);
  const mean = np.mean(x.ref, [0, 2, 3], { keepdims: true });
  const centred = x.sub(mean.ref);
  const variance = np.mean(np.square(centred.ref), [0, 2, 3], { keepdims: true });
  const unbiased = lax.stopGradient(variance.ref).mul((count / (count - 1)) * MOMENTUM);
  moved.set(name, { mean: lax.stopGradient(mean).mul(MOMENTUM), variance: unbiased });
  return centred
    .div(np.sqrt(variance.add(1e-5)))
    .mul(perChannel(take(`${name}.weight`)))
    .add(perChannel(take(`${name}.bias`)));
}

function maxPool(x: JaxArray, size: number): JaxArray {
  return lax.reduceWindow(x, np.max, [size, size], [size, size]);
}

function block(x: JaxArray, take: Take, name: string, heads: number): JaxArray {
  const [rows = 1, length = 1, width = 1] = x.shape;
  const qkv = linear(layerNorm(x.ref, take, `${name}.ln1`), take, `${name}.qkv`);
  const parts = np.split(qkv, 3, -1).map((part) => part.reshape([rows, length, heads, width / heads]));
  const [q, k, v] = parts as [JaxArray, JaxArray, JaxArray];
  const attended = nn.dotProductAttention(q, k, v, { isCausal: true }).reshape([rows, length, width]);
  const middle = x.add(linear(attended, take, `${name}.proj`));
  const hidden = nn.gelu(linear(layerNorm(middle.ref, take, `${name}.ln2`), take, `${name}.fc1`), {
    approximate: false,
  });
  return middle.add(linear(hidden, take, `${name}.fc2`));
}

/** The output of the model; the new statistics of its batch norms go into `moved`. */
export function forward(
  layers: readonly LayerInput[],
  parameters: Parameters,
  input: JaxArray,
  moved: Map<string, Statistics>,
): JaxArray {
  const take: Take = (name) => {
    const found = parameters[name];
    if (found === undefined) throw new Error(`no parameter ${name}`);
    return found;
  };
  return layers.reduce((x, layer, index) => {
    const name = layer.name ?? String(index);
    switch (layer.type) {
      case 'Linear':
        return linear(x, take, name, layer.bias !== false);
      case 'ReLU':
        return nn.relu(x);
      case 'Tanh':
        return np.tanh(x);
      case 'Flatten':
        return x.reshape([x.shape[0] ?? 1, -1]);
      case 'LayerNorm':
        return layerNorm(x, take, name);
      case 'Conv2d': {
        const padding = Number(layer.padding ?? 0);
        const side: [number, number] = [padding, padding];
        const y = lax.conv(x, take(`${name}.weight`), [1, 1], [side, side]);
        return y.add(take(`${name}.bias`).reshape([1, layer.out, 1, 1]));
      }
      case 'BatchNorm2d':
        return batchNorm(x, take, name, moved);
      case 'MaxPool2d':
        return maxPool(x, Number(layer.kernel));
      case 'TokenEmbedding':
        return np.take(take('tok.weight'), x, 0).add(take('pos.weight'));
      case 'TransformerBlock':
        return block(x, take, name, layer.heads);
      default:
        throw new Error(`jax-js contender: no ${layer.type}`);
    }
  }, input);
}
