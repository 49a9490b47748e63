/** The reduce operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import { elements } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type Maker, reals, unary } from '../case-tools';
import type { Recipe } from '../recipe';
import { arg, el, type Formula, logSumExp, range, rows, total } from '../reference-tools';

const reduction =
  (attrs: Attrs): Maker =>
  ([a, b, c], random) => ({ op: 'ops/sum', attrs, inputs: [reals([a, b, c], random)] });

export const REDUCE_CASES: Readonly<Record<string, Maker>> = {
  softmax: unary('ops/softmax'),
  'log-softmax': unary('ops/log-softmax'),
  sum: reduction({}),
  'sum over dim 0': reduction({ dim: 0 }),
  'sum over dim 1, kept': reduction({ dim: 1, keepdim: true }),
  mean: reduction({ mean: true }),
  'mean over dim -1': reduction({ dim: -1, mean: true }),
};

export const REDUCE_REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/softmax': (inputs) => rows(arg(inputs, 0), (row) => row.map((v) => Math.exp(v - logSumExp(row)))),
  'ops/log-softmax': (inputs) => rows(arg(inputs, 0), (row) => row.map((v) => v - logSumExp(row))),
  'ops/sum'(inputs, attrs) {
    const x = arg(inputs, 0);
    if (typeof attrs.dim !== 'number') return [total(x.data) / (attrs.mean === true ? x.data.length : 1)];
    const dim = attrs.dim < 0 ? attrs.dim + x.shape.length : attrs.dim;
    const n = el(x.shape, dim);
    const inner = elements(x.shape.slice(dim + 1));
    return range(elements(x.shape.slice(0, dim)) * inner).map(
      (i) =>
        total(range(n).map((k) => el(x.data, (Math.floor(i / inner) * n + k) * inner + (i % inner)))) /
        (attrs.mean === true ? n : 1),
    );
  },
};

export const REDUCE_RECIPES: Readonly<Record<string, Recipe>> = {};
