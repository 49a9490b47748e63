/**
 * The pointwise operators under test: cases of random inputs, formulas in double precision, and how each torch operator
 * of fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { broadcastShape } from '../../ops/pointwise/broadcast';
import { type CaseInput, type Maker, reals, type Sizes, unary } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, type Doubles, el, erfSeries, type Formula, map } from '../reference-tools';

/** Values in (0.1, 2.1), for operators that are undefined or steep elsewhere. */
const positive = (shape: Shape, random: () => number, wrt = true): CaseInput => ({
  type: { shape, dtype: 'f32' },
  data: Float32Array.from({ length: elements(shape) }, () => 0.1 + 2 * random()),
  wrt,
});

const bits = (shape: Shape, random: () => number): CaseInput => ({
  type: { shape, dtype: 'i32' },
  data: Int32Array.from({ length: elements(shape) }, () => Math.floor(random() * 2)),
  wrt: false,
});

const ofPositive =
  (op: string, attrs: Attrs = {}): Maker =>
  ([a, b], random) => ({ op, attrs, inputs: [positive([a, b], random)] });

const pair =
  (op: string, shapes: (s: Sizes) => readonly [Shape, Shape], make = reals): Maker =>
  (sizes, random) => {
    const [a, b] = shapes(sizes);
    return { op, attrs: {}, inputs: [reals(a, random), make(b, random)] };
  };

export const POINTWISE_CASES: Readonly<Record<string, Maker>> = {
  add: pair('ops/add', ([a, b]) => [
    [a, b],
    [a, b],
  ]),
  'add a row': pair('ops/add', ([a, b, c]) => [[a, b, c], [c]]),
  'add a row of fours': pair('ops/add', ([a, b]) => [
    [a, b, 4],
    [b, 4],
  ]),
  'add to a column': pair('ops/add', ([a, b]) => [
    [a, 1],
    [2, 1, b],
  ]),
  'sub of channels': pair('ops/sub', ([a, b]) => [
    [a, b, 3, 1],
    [b, 1, 1],
  ]),
  'sub of one number': pair('ops/sub', ([a, b]) => [[1], [a, b]]),
  mul: pair('ops/mul', ([a, b]) => [
    [a, b],
    [a, b],
  ]),
  'mul, outer product': pair('ops/mul', ([a, b]) => [
    [1, a],
    [b, 1],
  ]),
  'mul, over the middle': pair('ops/mul', ([a, b]) => [
    [2, a, b],
    [2, 1, b],
  ]),
  'mul, in turns': pair('ops/mul', ([a, b]) => [
    [a, 1, 2, 1, 3, 1],
    [1, 2, 1, b, 1, 2],
  ]),
  div: pair('ops/div', ([a, b]) => [[a, b], [b]], positive),
  'div of a column': pair('ops/div', ([a, b]) => [[a, 1], [b]], positive),
  maximum: pair('ops/maximum', ([a, b]) => [
    [a, b],
    [a, b],
  ]),
  'maximum with a column': pair('ops/maximum', ([a, b]) => [
    [b, a],
    [b, 1],
  ]),
  dropout: ([a, b], random) => {
    const mask = Float32Array.from({ length: a * b }, () => (random() < 0.3 ? 0 : 1));
    const inputs = [reals([a, b], random), { type: { shape: [a, b], dtype: 'f32' as const }, data: mask, wrt: false }];
    return { op: 'ops/dropout', attrs: { p: 0.3 }, inputs };
  },
  where: ([a, b], random) => ({
    op: 'ops/where',
    attrs: {},
    inputs: [bits([a, b], random), reals([a, b], random), reals([a, b], random)],
  }),
  'where, broadcast': ([a, b], random) => ({
    op: 'ops/where',
    attrs: {},
    inputs: [bits([a, 1, 2], random), reals([b, 2], random), reals([a, b, 1], random)],
  }),
  'masked-fill': ([a, b], random) => ({
    op: 'ops/masked-fill',
    attrs: { value: -2 },
    inputs: [reals([a, b], random), bits([b], random)],
  }),
  relu: unary('ops/relu'),
  tanh: unary('ops/tanh'),
  sigmoid: unary('ops/sigmoid'),
  gelu: unary('ops/gelu', { approximate: 'none' }),
  'gelu by tanh': unary('ops/gelu', { approximate: 'tanh' }),
  'leaky-relu': unary('ops/leaky-relu'),
  elu: unary('ops/elu', { alpha: 0.7 }),
  silu: unary('ops/silu'),
  softplus: unary('ops/softplus', { beta: 3, threshold: 4 }),
  exp: unary('ops/exp'),
  abs: unary('ops/abs'),
  square: unary('ops/square'),
  neg: unary('ops/neg'),
  log: ofPositive('ops/log'),
  sqrt: ofPositive('ops/sqrt'),
  rsqrt: ofPositive('ops/rsqrt'),
  'pow 3': unary('ops/pow', { exponent: 3 }),
  'pow 5': unary('ops/pow', { exponent: 5 }),
  'pow 0': unary('ops/pow', { exponent: 0 }),
  'pow 2.5': ofPositive('ops/pow', { exponent: 2.5 }),
  'pow -2': ofPositive('ops/pow', { exponent: -2 }),
  clamp: unary('ops/clamp', { min: -0.75, max: 1.2501 }),
  'clamp from below': unary('ops/clamp', { min: 0.0001 }),
};

const gelu = (x: number): number => 0.5 * x * (1 + erfSeries(x / Math.SQRT2));
const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** f over the broadcast of all inputs. */
function over(inputs: readonly Doubles[], f: (...values: number[]) => number): number[] {
  const out = broadcastShape(inputs.map((t) => t.shape));
  return Array.from({ length: elements(out) }, (_, i) => f(...inputs.map((t) => el(t.data, placeIn(t.shape, out, i)))));
}

/** Where element i of `out` is in a tensor of `shape` that is broadcast to it. */
function placeIn(shape: Shape, out: Shape, i: number): number {
  let [rest, place, step] = [i, 0, 1];
  for (let k = 1; k <= out.length; k++) {
    const size = out.at(-k) ?? 1;
    const own = shape.at(-k) ?? 1;
    if (own > 1) place += (rest % size) * step;
    rest = Math.floor(rest / size);
    step *= own;
  }
  return place;
}

const number = (attrs: Attrs, name: string, otherwise: number): number => Number(attrs[name] ?? otherwise);

const unaryWith =
  (f: (x: number, attrs: Attrs) => number): Formula =>
  (inputs, attrs) =>
    arg(inputs, 0).data.map((x) => f(x, attrs));

export const POINTWISE_REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/add': (inputs) => over(inputs, (a = 0, b = 0) => a + b),
  'ops/sub': (inputs) => over(inputs, (a = 0, b = 0) => a - b),
  'ops/mul': (inputs) => over(inputs, (a = 0, b = 0) => a * b),
  'ops/div': (inputs) => over(inputs, (a = 0, b = 0) => a / b),
  'ops/maximum': (inputs) => over(inputs, (a = 0, b = 0) => Math.max(a, b)),
  'ops/dropout': (inputs, attrs) => over(inputs, (a = 0, b = 0) => (a * b) / (1 - number(attrs, 'p', 0.5))),
  'ops/where': (inputs) => over(inputs, (mask = 0, a = 0, b = 0) => (mask !== 0 ? a : b)),
  'ops/masked-fill': (inputs, attrs) => over(inputs, (x = 0, mask = 0) => (mask !== 0 ? number(attrs, 'value', 0) : x)),
  'ops/relu': map((x) => Math.max(x, 0)),
  'ops/tanh': map(Math.tanh),
  'ops/sigmoid': map((x) => 1 / (1 + Math.exp(-x))),
  'ops/gelu': unaryWith((x, attrs) => (attrs.approximate === 'tanh' ? geluTanh(x) : gelu(x))),
  'ops/leaky-relu': unaryWith((x, attrs) => (x > 0 ? x : x * number(attrs, 'negativeSlope', 0.01))),
  'ops/elu': unaryWith((x, attrs) => (x > 0 ? x : Math.expm1(x) * number(attrs, 'alpha', 1))),
  'ops/silu': map((x) => x / (1 + Math.exp(-x))),
  'ops/softplus': unaryWith((x, attrs) => {
    const beta = number(attrs, 'beta', 1);
    return x * beta > number(attrs, 'threshold', 20) ? x : Math.log1p(Math.exp(x * beta)) / beta;
  }),
  'ops/exp': map(Math.exp),
  'ops/abs': map(Math.abs),
  'ops/square': map((x) => x * x),
  'ops/neg': map((x) => -x),
  'ops/log': map(Math.log),
  'ops/sqrt': map(Math.sqrt),
  'ops/rsqrt': map((x) => 1 / Math.sqrt(x)),
  'ops/pow': unaryWith((x, attrs) => x ** number(attrs, 'exponent', 2)),
  'ops/clamp': unaryWith((x, attrs) =>
    Math.min(Math.max(x, number(attrs, 'min', -Infinity)), number(attrs, 'max', Infinity)),
  ),
};

const attributes =
  (...names: readonly string[]) =>
  (c: { readonly attrs: Readonly<Record<string, unknown>> }): Attrs =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = c.attrs[name];
        return typeof value === 'number' || typeof value === 'string' ? [[name, value]] : [];
      }),
    );

export const POINTWISE_RECIPES: Readonly<Record<string, Recipe>> = {
  ...Object.fromEntries(
    ['relu', 'tanh', 'sigmoid', 'elu', 'silu', 'softplus', 'exp', 'abs', 'square', 'neg', 'log', 'sqrt', 'rsqrt']
      .concat(['add', 'sub', 'mul', 'div', 'maximum'])
      .map((name) => [name, direct(`ops/${name}`)]),
  ),
  shared_leaf_twice(c) {
    const a = c.input('a');
    const squares = c.apply('ops/sum', [c.apply('ops/mul', [a, a])]);
    return c.apply('ops/add', [squares, c.apply('ops/sum', [c.apply('ops/matmul', [a, a])])]);
  },
  leaky_relu: direct('ops/leaky-relu'),
  gelu: direct('ops/gelu', attributes('approximate')),
  pow: direct('ops/pow', attributes('exponent')),
  clamp: direct('ops/clamp', attributes('min', 'max')),
  dropout: direct('ops/dropout', attributes('p')),
  where: (c) => c.apply('ops/where', [c.input('cond'), c.input('a'), c.input('b')]),
  masked_fill: direct('ops/masked-fill', attributes('value')),
};
