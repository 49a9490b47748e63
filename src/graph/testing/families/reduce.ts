/**
 * The reduce operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type CaseInput, type Maker, reals, small } from '../case-tools';
import { direct, type Recipe, type TorchCase } from '../recipe';
import { arg, type Doubles, el, type Formula, logSumExp, range, total } from '../reference-tools';

const over =
  (op: string, attrs: Attrs = {}): Maker =>
  ([a, b, c], random) => ({ op, attrs, inputs: [reals([a, b, c], random)] });

/** At least two elements in each dimension, where one alone has no variance. */
const spread =
  (attrs: Attrs): Maker =>
  ([a, b, c], random) => ({ op: 'reduce/var', attrs, inputs: [reals([a + 1, b + 1, c + 1], random)] });

/** Values at least 0.05 apart, so that no difference changes which is the largest. */
function apart(shape: Shape, random: () => number): CaseInput {
  const order = range(elements(shape))
    .map((i) => [random(), i] as const)
    .sort((p, q) => p[0] - q[0]);
  const data = Float32Array.from(order, ([, i]) => (i - order.length / 2) * 0.05);
  return { type: { shape, dtype: 'f32' }, data, wrt: true };
}

const largest =
  (attrs: Attrs): Maker =>
  ([a, b, c], random) => ({ op: 'reduce/max', attrs, inputs: [apart([a, b, c], random)] });

export const REDUCE_CASES = small({
  softmax: over('ops/softmax'),
  'softmax over dim 0': over('ops/softmax', { dim: 0 }),
  'softmax over dim 1': over('ops/softmax', { dim: 1 }),
  'log-softmax': over('ops/log-softmax'),
  'log-softmax over dim -2': over('ops/log-softmax', { dim: -2 }),
  sum: over('ops/sum'),
  'sum over dim 0': over('ops/sum', { dim: 0 }),
  'sum over dim 1, kept': over('ops/sum', { dim: 1, keepdim: true }),
  'sum over dims 0 and 2': over('ops/sum', { dim: [2, 0] }),
  'sum over dims 1 and 2': over('ops/sum', { dim: [1, -1], keepdim: true }),
  mean: over('ops/sum', { mean: true }),
  'mean over dim -1': over('ops/sum', { dim: -1, mean: true }),
  'mean over dims 0 and 2': over('ops/sum', { dim: [0, 2], mean: true }),
  norm: over('reduce/norm'),
  'norm over dim 1': over('reduce/norm', { dim: 1 }),
  var: spread({}),
  'var over dim 0, biased': spread({ dim: 0, unbiased: false }),
  'var over dims 1 and 2, kept': spread({ dim: [1, 2], keepdim: true }),
  max: largest({}),
  'max over dim 0': largest({ dim: 0 }),
  'max over dim -1, kept': largest({ dim: -1, keepdim: true }),
  logsumexp: over('reduce/logsumexp'),
  'logsumexp over dim 1': over('reduce/logsumexp', { dim: 1 }),
  cumsum: over('reduce/cumsum'),
  'cumsum over dim 0': over('reduce/cumsum', { dim: 0 }),
  'cumsum over dim 1, from the end': over('reduce/cumsum', { dim: 1, reverse: true }),
});

/** The reduced values of each result, results in order: plain multi-indices, no views. */
function groups(x: Doubles, attrs: Attrs): readonly (readonly number[])[] {
  const named = typeof attrs.dim === 'number' ? [attrs.dim] : ((attrs.dim ?? []) as readonly number[]);
  const dims = named.map((dim) => (dim + x.shape.length) % x.shape.length);
  const found = new Map<string, number[]>();
  x.data.forEach((v, i) => {
    let rest = i;
    const key: number[] = [];
    for (let d = x.shape.length - 1; d >= 0; d--) {
      const size = el(x.shape, d);
      if (dims.length > 0 && !dims.includes(d)) key.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    const group = found.get(key.join());
    if (group) group.push(v);
    else found.set(key.join(), [v]);
  });
  return [...found.values()];
}

const reduced =
  (f: (values: readonly number[], attrs: Attrs) => number): Formula =>
  (inputs, attrs) =>
    groups(arg(inputs, 0), attrs).map((values) => f(values, attrs));

/** Applies f to each line of attr `dim` (default the last) and puts the results where the line was. */
const alongLines =
  (f: (line: readonly number[], attrs: Attrs) => readonly number[]): Formula =>
  (inputs, attrs) => {
    const x = arg(inputs, 0);
    const dim = (Number(attrs.dim ?? -1) + x.shape.length) % x.shape.length;
    const n = el(x.shape, dim);
    const inner = elements(x.shape.slice(dim + 1));
    const y = x.data.slice();
    for (let i = 0; i < y.length; i++) {
      if (Math.floor(i / inner) % n !== 0) continue;
      const line = range(n).map((k) => el(x.data, i + k * inner));
      f(line, attrs).forEach((v, k) => {
        y[i + k * inner] = v;
      });
    }
    return y;
  };

const running = (line: readonly number[]): readonly number[] => {
  let sum = 0;
  return line.map((v) => (sum += v));
};

export const REDUCE_REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/softmax': alongLines((line) => line.map((v) => Math.exp(v - logSumExp(line)))),
  'ops/log-softmax': alongLines((line) => line.map((v) => v - logSumExp(line))),
  'ops/sum': reduced((values, { mean }) => total(values) / (mean === true ? values.length : 1)),
  'reduce/norm': reduced((values) => Math.sqrt(total(values.map((v) => v * v)))),
  'reduce/var': reduced((values, { unbiased }) => {
    const mean = total(values) / values.length;
    return total(values.map((v) => (v - mean) ** 2)) / (values.length - (unbiased === false ? 0 : 1));
  }),
  'reduce/max': reduced((values) => Math.max(...values)),
  'reduce/logsumexp': reduced(logSumExp),
  'reduce/cumsum': alongLines((line, { reverse }) =>
    reverse === true
      ? running([...line].reverse())
          .slice()
          .reverse()
      : running(line),
  ),
};

/** torch's `dim` (a number, a list or None) and `keepdim`. */
function dims({ attrs }: TorchCase): Attrs {
  const { dim, keepdim } = attrs as { dim?: number | number[] | null; keepdim?: boolean };
  return { ...(dim === undefined || dim === null ? {} : { dim }), keepdim: keepdim === true };
}

export const REDUCE_RECIPES: Readonly<Record<string, Recipe>> = {
  sum: direct('ops/sum', dims),
  mean: direct('ops/sum', (c) => ({ ...dims(c), mean: true })),
  var: direct('reduce/var', (c) => ({ ...dims(c), unbiased: c.attrs.unbiased === true })),
  max: direct('reduce/max', dims),
  max_all: direct('reduce/max', dims),
  norm: direct('reduce/norm', dims),
  logsumexp: direct('reduce/logsumexp', dims),
  cumsum: direct('reduce/cumsum', dims),
  softmax: direct('ops/softmax', dims),
  log_softmax: direct('ops/log-softmax', dims),
};
