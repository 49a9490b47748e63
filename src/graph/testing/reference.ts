/** Forward formulas in plain double precision, written for reading and not for speed: what the operators are held against. */
import { must } from '../../base/invariant';
import { elements, type Shape } from '../../tensor/shape';
import type { Attrs } from '../op';
import { IGNORE_INDEX } from '../ops/loss/cross-entropy';

export interface Doubles {
  readonly shape: Shape;
  readonly data: readonly number[];
}

type Formula = (inputs: readonly Doubles[], attrs: Attrs) => number[];

const arg = (inputs: readonly Doubles[], i: number): Doubles => must(inputs[i], `reference input ${i}`);
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const el = (values: readonly number[], i: number): number => must(values[i], `element ${i}`);

/** sum over k of a(m, k) b(k, n) */
const product = (
  M: number,
  N: number,
  K: number,
  a: (m: number, k: number) => number,
  b: (k: number, n: number) => number,
): number[] => range(M).flatMap((m) => range(N).map((n) => total(range(K).map((k) => a(m, k) * b(k, n)))));

const map =
  (f: (x: number) => number): Formula =>
  (inputs) =>
    arg(inputs, 0).data.map(f);

/** Applies f to each row of the last dimension. */
const rows = (x: Doubles, f: (row: readonly number[]) => readonly number[]): number[] => {
  const n = x.shape.at(-1) ?? 1;
  return range(x.data.length / n).flatMap((r) => [...f(x.data.slice(r * n, r * n + n))]);
};

const logSumExp = (row: readonly number[]): number => {
  const max = Math.max(...row);
  return max + Math.log(total(row.map((v) => Math.exp(v - max))));
};

/** erf by its everywhere convergent series 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!!; good for |x| < 6. */
export function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const gelu = (x: number): number => 0.5 * x * (1 + erfSeries(x / Math.SQRT2));
const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
const reduce = (terms: readonly number[], attrs: Attrs): number[] => [
  attrs.reduction === 'sum' ? total(terms) : total(terms) / terms.length,
];

export const REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/linear'(inputs) {
    const [x, w] = [arg(inputs, 0), arg(inputs, 1)];
    const [O = 0, I = 0] = w.shape;
    const y = product(
      x.data.length / I,
      O,
      I,
      (m, k) => el(x.data, m * I + k),
      (k, n) => el(w.data, n * I + k),
    );
    return y.map((v, i) => v + (inputs[2]?.data[i % O] ?? 0));
  },
  'ops/matmul'(inputs, attrs) {
    const [a, b] = [arg(inputs, 0), arg(inputs, 1)];
    const [a0 = 0, a1 = 0] = a.shape;
    const [b0 = 0, b1 = 0] = b.shape;
    const [M, K] = attrs.transposeA === true ? [a1, a0] : [a0, a1];
    const N = attrs.transposeB === true ? b0 : b1;
    const A = (m: number, k: number) => el(a.data, attrs.transposeA === true ? k * a1 + m : m * a1 + k);
    const B = (k: number, n: number) => el(b.data, attrs.transposeB === true ? n * b1 + k : k * b1 + n);
    return product(M, N, K, A, B);
  },
  'ops/add': (inputs) => arg(inputs, 0).data.map((v, i) => v + el(arg(inputs, 1).data, i % arg(inputs, 1).data.length)),
  'ops/relu': map((x) => Math.max(x, 0)),
  'ops/tanh': map(Math.tanh),
  'ops/sigmoid': map((x) => 1 / (1 + Math.exp(-x))),
  'ops/gelu': (inputs, attrs) => arg(inputs, 0).data.map(attrs.approximate === 'tanh' ? geluTanh : gelu),
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
