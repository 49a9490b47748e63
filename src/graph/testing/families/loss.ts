/**
 * The loss operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { IGNORE_INDEX } from '../../ops/loss/cross-entropy';
import { type CaseInput, type Maker, reals } from '../case-tools';
import type { Recipe, TorchCase } from '../recipe';
import { arg, el, type Formula, logSumExp, range, total } from '../reference-tools';

/** Values in (0.02, 0.98). */
const probabilities = (shape: Shape, random: () => number, wrt = false): CaseInput => ({
  type: { shape, dtype: 'f32' },
  data: Float32Array.from({ length: elements(shape) }, () => 0.02 + 0.96 * random()),
  wrt,
});

/** Class indices, about one in five of them `ignored`. */
const labels = (shape: Shape, classes: number, random: () => number, ignored?: number): CaseInput => ({
  type: { shape, dtype: 'i32' },
  data: Int32Array.from({ length: elements(shape) }, (_, i) =>
    ignored !== undefined && i > 0 && random() < 0.2 ? ignored : Math.floor(random() * classes),
  ),
  wrt: false,
});

const elementLoss =
  (op: string, attrs: Attrs, make = reals, target = reals, wrtTarget = false): Maker =>
  ([a, b], random) => ({ op, attrs, inputs: [make([a, b], random, true), target([a, b], random, wrtTarget)] });

const classLoss =
  (attrs: Attrs, op = 'loss/cross-entropy'): Maker =>
  ([rows, classes], random) => ({
    op,
    attrs,
    inputs: [reals([rows, classes], random), labels([rows], classes, random)],
  });

export const LOSS_CASES: Readonly<Record<string, Maker>> = {
  'mse mean': elementLoss('loss/mse', { reduction: 'mean' }),
  'mse sum': elementLoss('loss/mse', { reduction: 'sum' }, reals, reals, true),
  'mse none': elementLoss('loss/mse', { reduction: 'none' }, reals, reals, true),
  'l1 mean': elementLoss('loss/l1', { reduction: 'mean' }, reals, reals, true),
  'l1 none': elementLoss('loss/l1', { reduction: 'none' }),
  'smooth-l1 mean': elementLoss('loss/smooth-l1', { reduction: 'mean', beta: 0.7 }, reals, reals, true),
  'smooth-l1 sum': elementLoss('loss/smooth-l1', { reduction: 'sum' }),
  'huber mean': elementLoss('loss/huber', { reduction: 'mean', delta: 0.7 }, reals, reals, true),
  'huber sum': elementLoss('loss/huber', { reduction: 'sum' }),
  'huber none': elementLoss('loss/huber', { reduction: 'none', delta: 1.5 }),
  'bce-with-logits mean': elementLoss('loss/bce-with-logits', { reduction: 'mean' }),
  'bce-with-logits sum': elementLoss('loss/bce-with-logits', { reduction: 'sum' }),
  'bce-with-logits none, pos_weight': ([a, b], random) => ({
    op: 'loss/bce-with-logits',
    attrs: { reduction: 'none' },
    inputs: [reals([a, b], random), probabilities([a, b], random), probabilities([b], random)],
  }),
  'bce-with-logits mean, one pos_weight': ([a, b], random) => ({
    op: 'loss/bce-with-logits',
    attrs: { reduction: 'mean' },
    inputs: [reals([a, b], random), probabilities([a, b], random), probabilities([1], random)],
  }),
  'bce mean': elementLoss('loss/bce', { reduction: 'mean' }, probabilities, probabilities),
  'bce none': elementLoss('loss/bce', { reduction: 'none' }, probabilities, probabilities),
  'cross-entropy mean': classLoss({ reduction: 'mean' }),
  'cross-entropy sum': classLoss({ reduction: 'sum' }),
  'cross-entropy none': classLoss({ reduction: 'none' }),
  'cross-entropy of classes by fours': ([rows, quads], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: 'mean' },
    inputs: [reals([rows, 4 * quads], random), labels([rows], 4 * quads, random, IGNORE_INDEX)],
  }),
  'cross-entropy, weights, smoothed, another ignore_index': ([rows, classes], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: 'mean', labelSmoothing: 0.2, ignoreIndex: 0 },
    inputs: [
      reals([rows, classes + 1], random),
      positiveLabels(rows, classes, random),
      probabilities([classes + 1], random),
    ],
  }),
  'cross-entropy of tokens, smoothed': ([batch, length], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: 'sum', labelSmoothing: 0.1 },
    inputs: [reals([batch, length, 3], random), labels([batch, length], 3, random, IGNORE_INDEX)],
  }),
  'cross-entropy over dim 1': ([batch, length], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: 'none', dim: 1 },
    inputs: [reals([batch, 3, length], random), labels([batch, length], 3, random, IGNORE_INDEX)],
  }),
  'cross-entropy of probabilities': ([rows, classes], random) => ({
    op: 'loss/cross-entropy',
    attrs: { reduction: 'mean', labelSmoothing: 0.1 },
    inputs: [reals([rows, classes], random), probabilities([rows, classes], random), probabilities([classes], random)],
  }),
  'nll mean': classLoss({ reduction: 'mean' }, 'loss/nll'),
  'nll none, weights': ([rows, classes], random) => ({
    op: 'loss/nll',
    attrs: { reduction: 'none' },
    inputs: [
      reals([rows, classes], random),
      labels([rows], classes, random, IGNORE_INDEX),
      probabilities([classes], random),
    ],
  }),
};

/** Labels 0 ... classes, 0 of which is ignored, the first row never. */
function positiveLabels(rows: number, classes: number, random: () => number): CaseInput {
  const made = labels([rows], classes + 1, random);
  made.data[0] = 1;
  return made;
}

const reduce = (terms: readonly number[], attrs: Attrs, divisor = terms.length): number[] => {
  if (attrs.reduction === 'none') return [...terms];
  return [attrs.reduction === 'sum' ? total(terms) : total(terms) / divisor];
};

const elementwise =
  (f: (x: number, t: number, attrs: Attrs, posWeight: number) => number): Formula =>
  (inputs, attrs) => {
    const weights = inputs[2]?.data ?? [1];
    const terms = arg(inputs, 0).data.map((x, i) =>
      f(x, el(arg(inputs, 1).data, i), attrs, el(weights, i % weights.length)),
    );
    return reduce(terms, attrs);
  };

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** PyTorch's own composition: negative log likelihood of log p, mixed with the mean over classes. */
const classes =
  (logSoftmax: boolean): Formula =>
  (inputs, attrs) => {
    const [x, target] = [arg(inputs, 0), arg(inputs, 1)];
    const dim = attrs.dim === 1 ? 1 : x.shape.length - 1;
    const C = el(x.shape, dim);
    const inner = elements(x.shape.slice(dim + 1));
    const w = inputs[2]?.data ?? range(C).map(() => 1);
    const e = number(attrs.labelSmoothing, 0);
    const ofLabels = target.shape.length < x.shape.length;
    const at = (r: number, c: number) => Math.floor(r / inner) * C * inner + c * inner + (r % inner);
    let divisor = 0;
    const terms = range(x.data.length / C).map((r) => {
      const row = range(C).map((c) => el(x.data, at(r, c)));
      const logP = logSoftmax ? row.map((v) => v - logSumExp(row)) : row;
      const label = el(target.data, r);
      if (ofLabels && label === number(attrs.ignoreIndex, IGNORE_INDEX)) return 0;
      divisor += ofLabels ? el(w, label) : 1;
      const hit = (c: number) => (ofLabels ? Number(c === label) : el(target.data, at(r, c)));
      return -total(range(C).map((c) => el(w, c) * ((1 - e) * hit(c) + e / C) * el(logP, c)));
    });
    return reduce(terms, attrs, divisor);
  };

export const LOSS_REFERENCE: Readonly<Record<string, Formula>> = {
  'loss/mse': elementwise((x, t) => (x - t) ** 2),
  'loss/l1': elementwise((x, t) => Math.abs(x - t)),
  'loss/smooth-l1': elementwise((x, t, attrs) => {
    const [d, beta] = [Math.abs(x - t), number(attrs.beta, 1)];
    return d < beta ? (0.5 * d * d) / beta : d - 0.5 * beta;
  }),
  'loss/huber': elementwise((x, t, attrs) => {
    const [d, delta] = [Math.abs(x - t), number(attrs.delta, 1)];
    return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
  }),
  'loss/bce-with-logits': elementwise(
    (x, t, _, w) =>
      w * t * (Math.log1p(Math.exp(-Math.abs(x))) + Math.max(-x, 0)) +
      (1 - t) * (Math.log1p(Math.exp(-Math.abs(x))) + Math.max(x, 0)),
  ),
  'loss/bce': elementwise((x, t) => -t * Math.log(x) - (1 - t) * Math.log1p(-x)),
  'loss/cross-entropy': classes(true),
  'loss/nll': classes(false),
};

const recipe =
  (op: string, operands: readonly string[], attrs: (c: TorchCase) => Attrs = () => ({})): Recipe =>
  (c) =>
    c.apply(op, operands.filter(c.has).map(c.input), {
      reduction: String(c.case.attrs.reduction ?? 'mean'),
      ...attrs(c.case),
    });

const ofClasses = ({ attrs, inputs }: TorchCase): Attrs => ({
  ...(typeof attrs.label_smoothing === 'number' ? { labelSmoothing: attrs.label_smoothing } : {}),
  ...(typeof attrs.ignore_index === 'number' ? { ignoreIndex: attrs.ignore_index } : {}),
  ...((inputs.x?.shape.length ?? 0) > 2 ? { dim: 1 } : {}),
});

export const LOSS_RECIPES: Readonly<Record<string, Recipe>> = {
  cross_entropy: recipe('loss/cross-entropy', ['x', 'target', 'weight'], ofClasses),
  nll_loss: recipe('loss/nll', ['x', 'target', 'weight'], ofClasses),
  mse_loss: recipe('loss/mse', ['x', 'target']),
  l1_loss: recipe('loss/l1', ['x', 'target']),
  smooth_l1_loss: recipe('loss/smooth-l1', ['x', 'target'], ({ attrs }) => ({ beta: number(attrs.beta, 1) })),
  huber_loss: recipe('loss/huber', ['x', 'target'], ({ attrs }) => ({ delta: number(attrs.delta, 1) })),
  bce_with_logits: recipe('loss/bce-with-logits', ['x', 'target', 'pos_weight']),
  binary_cross_entropy: recipe('loss/bce', ['x', 'target']),
};
