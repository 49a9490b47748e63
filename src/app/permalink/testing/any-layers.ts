/** Random layers, and what arbitraries of settings are made of. */
import fc from 'fast-check';
import { ACTIVATION_NAMES, plainLayers } from '../../model/families';

export const real = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
export const count = (min: number, max: number) => fc.integer({ min, max });
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
export const name = fc.string({ minLength: 1, maxLength: 12 });

const path = fc.stringMatching(/^[A-Za-z_0-9.]{0,12}$/);
const named = <T>(fields: Record<string, fc.Arbitrary<T>>) => ({ ...fields, name: maybe(path) });
const pair = (min: number, max: number) => fc.oneof(count(min, max), fc.tuple(count(min, max), count(min, max)));
const kind = (type: string, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record(named({ type: fc.constant(type), ...fields }));
const norm = { eps: real(0, 1), affine: fc.boolean() };
const pool = { kernel: pair(1, 9), stride: maybe(pair(1, 9)), padding: pair(0, 4) };

const leaf = fc.oneof(
  kind('Linear', {
    in: count(1, 99),
    out: count(1, 99),
    bias: fc.boolean(),
    tied: maybe(fc.string({ maxLength: 12 })),
  }),
  kind('GELU', { approximate: fc.constantFrom('none', 'tanh') }),
  fc
    .constantFrom('ReLU', 'Tanh', 'Sigmoid', 'SiLU', 'Softplus', 'Softmax', 'LogSoftmax', 'Flatten')
    .chain((type) => kind(type)),
  kind('LeakyReLU', { negativeSlope: real(0, 10) }),
  kind('ELU', { alpha: real(0, 10) }),
  kind('Dropout', { p: real(0, 1) }),
  kind('Conv2d', {
    in: count(1, 99),
    out: count(1, 99),
    kernel: pair(1, 9),
    stride: pair(1, 9),
    padding: pair(0, 9),
    dilation: pair(1, 9),
    groups: count(1, 9),
    bias: fc.boolean(),
  }),
  kind('MaxPool2d', { ...pool, ceilMode: fc.boolean() }),
  kind('AvgPool2d', { ...pool, ceilMode: fc.boolean(), countIncludePad: fc.boolean() }),
  kind('AdaptiveAvgPool2d', { output: pair(1, 9) }),
  kind('BatchNorm1d', { features: count(1, 99), momentum: real(0, 1), ...norm }),
  kind('BatchNorm2d', { features: count(1, 99), momentum: real(0, 1), ...norm }),
  kind('LayerNorm', { features: count(1, 99), ...norm, bias: fc.boolean() }),
  kind('GroupNorm', { groups: count(1, 9), channels: count(1, 99), ...norm }),
  kind('Embedding', { vocab: count(1, 99), width: count(1, 99), paddingIdx: maybe(count(0, 9)) }),
  kind('TokenEmbedding', { vocab: count(1, 99), context: count(1, 99), width: count(1, 99) }),
  kind('MultiheadAttention', { width: count(1, 99), heads: count(1, 9), bias: fc.boolean(), causal: fc.boolean() }),
  kind('TransformerBlock', {
    width: count(1, 99),
    heads: count(1, 9),
    expansion: count(1, 9),
    causal: fc.boolean(),
    dropout: real(0, 0.99),
  }),
);
const leaves = fc.array(leaf, { minLength: 1, maxLength: 3 });
export const layer = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: kind('Residual', { layers: leaves, shortcut: maybe(leaves) }) },
  { weight: 1, arbitrary: kind('Unused', { layers: leaves }) },
);
export const plain = fc
  .record({
    sizes: fc.array(count(1, 99), { minLength: 2, maxLength: 6 }),
    activation: fc.constantFrom(...ACTIVATION_NAMES),
  })
  .map((net) => [...plainLayers(net)]);
