/** The pointwise operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import { type Maker, reals, unary } from '../case-tools';
import type { Recipe } from '../recipe';
import { arg, el, erfSeries, type Formula, map } from '../reference-tools';

export const POINTWISE_CASES: Readonly<Record<string, Maker>> = {
  add: ([a, b], random) => ({ op: 'ops/add', attrs: {}, inputs: [reals([a, b], random), reals([a, b], random)] }),
  'add a row': ([a, b, c], random) => ({
    op: 'ops/add',
    attrs: {},
    inputs: [reals([a, b, c], random), reals([c], random)],
  }),
  relu: unary('ops/relu'),
  tanh: unary('ops/tanh'),
  sigmoid: unary('ops/sigmoid'),
  gelu: unary('ops/gelu', { approximate: 'none' }),
  'gelu by tanh': unary('ops/gelu', { approximate: 'tanh' }),
};

const gelu = (x: number): number => 0.5 * x * (1 + erfSeries(x / Math.SQRT2));
const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
export const POINTWISE_REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/add': (inputs) => arg(inputs, 0).data.map((v, i) => v + el(arg(inputs, 1).data, i % arg(inputs, 1).data.length)),
  'ops/relu': map((x) => Math.max(x, 0)),
  'ops/tanh': map(Math.tanh),
  'ops/sigmoid': map((x) => 1 / (1 + Math.exp(-x))),
  'ops/gelu': (inputs, attrs) => arg(inputs, 0).data.map(attrs.approximate === 'tanh' ? geluTanh : gelu),
};

export const POINTWISE_RECIPES: Readonly<Record<string, Recipe>> = {};
