/**
 * A model in the core API of TensorFlow.js, layer by layer. Weights are stored as TensorFlow.js needs them: a Linear's
 * as [in, out], images and filters with channels last, so that no step transposes them. The rows of the Linear after a
 * Flatten are reordered once to match.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { BenchTensor } from '../../../src/bench/bench';
import type { LayerInput } from '../../../src/protocol/config';

export type Variables = ReadonlyMap<string, tf.Variable>;

export interface Statistics {
  readonly name: string;
  readonly mean: tf.Tensor;
  readonly variance: tf.Tensor;
}

interface Context {
  readonly variables: Variables;
  /** [rows, tokens] of a token model; activations in between are [rows * tokens, width]. */
  readonly shape: readonly number[];
  /** The new statistics of batch norms go here. */
  readonly seen: (statistics: Statistics) => void;
  /** Look-up as a product with one-hot rows, for backends without a gradient of gather. */
  readonly oneHotLookup: boolean;
}

const EPS = 1e-5;

export function toTensorflow({ name, shape, data }: BenchTensor, layers: readonly LayerInput[]): tf.Variable {
  const tensor = tf.tensor(Float32Array.from(data), [...shape]);
  const initial = tf.tidy(() => {
    if (shape.length === 4) return tf.transpose(tensor, [2, 3, 1, 0]);
    if (shape.length !== 2 || /(^|\.)(tok|pos)\.weight$/.test(name)) return tf.clone(tensor);
    const index = layers.findIndex((layer, i) => (layer.name ?? String(i)) === name.replace(/\.weight$/, ''));
    const channels = layers[index - 1]?.type === 'Flatten' ? lastChannels(layers.slice(0, index)) : undefined;
    if (channels === undefined) return tf.transpose(tensor);
    const [out = 1, into = 1] = shape;
    const size = Math.sqrt(into / channels);
    return tf.reshape(tf.transpose(tf.reshape(tensor, [out, channels, size, size]), [2, 3, 1, 0]), [into, out]);
  });
  tensor.dispose();
  return tf.variable(initial, true, name);
}

function lastChannels(layers: readonly LayerInput[]): number | undefined {
  const conv = layers.findLast((layer) => layer.type === 'Conv2d');
  return conv?.type === 'Conv2d' ? conv.out : undefined;
}

function variable({ variables }: Context, name: string): tf.Variable {
  const found = variables.get(name);
  if (found === undefined) throw new Error(`no variable ${name}`);
  return found;
}

function linear(c: Context, x: tf.Tensor, name: string, bias = true): tf.Tensor {
  const product = tf.matMul(x, variable(c, `${name}.weight`));
  return bias ? tf.add(product, variable(c, `${name}.bias`)) : product;
}

function layerNorm(c: Context, x: tf.Tensor, name: string): tf.Tensor {
  const { mean, variance } = tf.moments(x, -1, true);
  const standard = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, EPS)));
  return tf.add(tf.mul(standard, variable(c, `${name}.weight`)), variable(c, `${name}.bias`));
}

function batchNorm(c: Context, x: tf.Tensor4D, name: string): tf.Tensor {
  const { mean, variance } = tf.moments(x, [0, 1, 2]) as { mean: tf.Tensor1D; variance: tf.Tensor1D };
  c.seen({ name, mean, variance });
  const [offset, scale] = [variable(c, `${name}.bias`), variable(c, `${name}.weight`)] as unknown as tf.Tensor1D[];
  return tf.batchNorm4d(x, mean, variance, offset, scale, EPS);
}

function embedding(c: Context, ids: tf.Tensor): tf.Tensor {
  const [rows = 1, length = 1] = c.shape;
  const table = variable(c, 'tok.weight');
  const flat = tf.reshape(ids, [-1]) as tf.Tensor1D;
  const tokens = c.oneHotLookup
    ? tf.matMul(tf.cast(tf.oneHot(flat, table.shape[0] ?? 1), 'float32'), table)
    : tf.gather(table, flat);
  const width = table.shape[1] ?? 1;
  const sum = tf.add(tf.reshape(tokens, [rows, length, width]), variable(c, 'pos.weight'));
  return tf.reshape(sum, [rows * length, width]);
}

const gelu = (x: tf.Tensor): tf.Tensor => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));

function block(c: Context, x: tf.Tensor, name: string, heads: number): tf.Tensor {
  const [rows = 1, length = 1] = c.shape;
  const width = x.shape[1] ?? 1;
  const qkv = linear(c, layerNorm(c, x, `${name}.ln1`), `${name}.qkv`);
  const split = tf.transpose(tf.reshape(qkv, [rows, length, 3, heads, width / heads]), [2, 0, 3, 1, 4]);
  const [q, k, v] = tf.unstack(split) as [tf.Tensor, tf.Tensor, tf.Tensor];
  const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(width / heads));
  const attended = tf.matMul(tf.softmax(tf.add(scores, causalMask(length))), v);
  const joined = tf.reshape(tf.transpose(attended, [0, 2, 1, 3]), [rows * length, width]);
  const middle = tf.add(x, linear(c, joined, `${name}.proj`));
  const hidden = gelu(linear(c, layerNorm(c, middle, `${name}.ln2`), `${name}.fc1`));
  return tf.add(middle, linear(c, hidden, `${name}.fc2`));
}

let mask: tf.Tensor2D | undefined;
function causalMask(length: number): tf.Tensor2D {
  const values = () =>
    Float32Array.from({ length: length * length }, (_, i) => (i % length > Math.floor(i / length) ? -1e9 : 0));
  mask ??= tf.keep(tf.tensor2d(values(), [length, length]));
  return mask;
}

export function forward(c: Context, layers: readonly LayerInput[], input: tf.Tensor): tf.Tensor {
  return layers.reduce((x: tf.Tensor, layer, index) => {
    const name = layer.name ?? String(index);
    switch (layer.type) {
      case 'Linear':
        return linear(c, x, name, layer.bias !== false);
      case 'ReLU':
        return tf.relu(x);
      case 'Tanh':
        return tf.tanh(x);
      case 'Flatten':
        return tf.reshape(x, [x.shape[0] ?? 1, -1]);
      case 'LayerNorm':
        return layerNorm(c, x, name);
      case 'Conv2d': {
        const filter = variable(c, `${name}.weight`) as unknown as tf.Tensor4D;
        return tf.add(tf.conv2d(x as tf.Tensor4D, filter, 1, Number(layer.padding ?? 0)), variable(c, `${name}.bias`));
      }
      case 'BatchNorm2d':
        return batchNorm(c, x as tf.Tensor4D, name);
      case 'MaxPool2d':
        return tf.maxPool(x as tf.Tensor4D, Number(layer.kernel), Number(layer.kernel), 'valid');
      case 'TokenEmbedding':
        return embedding(c, x);
      case 'TransformerBlock':
        return block(c, x, name, layer.heads);
      default:
        throw new Error(`TensorFlow.js contender: no ${layer.type}`);
    }
  }, input);
}
