/** The loss operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import type { Attrs } from '../../op';
import { IGNORE_INDEX } from '../../ops/loss/cross-entropy';
import { labels, type Maker, reals } from '../case-tools';
import type { Recipe } from '../recipe';
import { arg, el, type Formula, logSumExp, rows, total } from '../reference-tools';

const elementLoss =
  (op: string, reduce: string): Maker =>
  ([a, b], random) => ({
    op,
    attrs: { reduction: reduce },
    inputs: [reals([a, b], random), reals([a, b], random, false)],
  });

const classLoss =
  (reduce: string): Maker =>
  ([rows, classes], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: reduce },
    inputs: [reals([rows, classes], random), labels(rows, classes, random)],
  });

export const LOSS_CASES: Readonly<Record<string, Maker>> = {
  'mse mean': elementLoss('loss/mse', 'mean'),
  'mse sum': elementLoss('loss/mse', 'sum'),
  'bce-with-logits mean': elementLoss('loss/bce-with-logits', 'mean'),
  'bce-with-logits sum': elementLoss('loss/bce-with-logits', 'sum'),
  'cross-entropy mean': classLoss('mean'),
  'cross-entropy sum': classLoss('sum'),
};

const reduce = (terms: readonly number[], attrs: Attrs): number[] => [
  attrs.reduction === 'sum' ? total(terms) : total(terms) / terms.length,
];

export const LOSS_REFERENCE: Readonly<Record<string, Formula>> = {
  'loss/mse': (inputs, attrs) =>
    reduce(
      arg(inputs, 0).data.map((x, i) => (x - el(arg(inputs, 1).data, i)) ** 2),
      attrs,
    ),
  'loss/bce-with-logits': (inputs, attrs) =>
    reduce(
      arg(inputs, 0).data.map(
        (x, i) => Math.log1p(Math.exp(-Math.abs(x))) + Math.max(x, 0) - x * el(arg(inputs, 1).data, i),
      ),
      attrs,
    ),
  'loss/cross-entropy'(inputs, attrs) {
    const { data } = arg(inputs, 1);
    const losses = rows(arg(inputs, 0), (row) => row.map((v) => logSumExp(row) - v));
    const classes = losses.length / data.length;
    return reduce(
      data.flatMap((t, r) => (t === IGNORE_INDEX ? [] : [el(losses, r * classes + t)])),
      attrs,
    );
  },
};

export const LOSS_RECIPES: Readonly<Record<string, Recipe>> = {};
