/** The linear operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import { type Maker, reals } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, el, type Formula, product as productOf } from '../reference-tools';

const product =
  (transposeA: boolean, transposeB: boolean): Maker =>
  ([m, n, k], random) => ({
    op: 'ops/matmul',
    attrs: { transposeA, transposeB },
    inputs: [reals(transposeA ? [k, m] : [m, k], random), reals(transposeB ? [n, k] : [k, n], random)],
  });

export const LINEAR_CASES: Readonly<Record<string, Maker>> = {
  linear: ([b, o, i], random) => ({
    op: 'ops/linear',
    attrs: {},
    inputs: [reals([b, i], random), reals([o, i], random), reals([o], random)],
  }),
  'linear without bias': ([b, o, i], random) => ({
    op: 'ops/linear',
    attrs: {},
    inputs: [reals([b, i], random), reals([o, i], random)],
  }),
  'linear on 3-d input': ([b, o, i], random) => ({
    op: 'ops/linear',
    attrs: {},
    inputs: [reals([2, b, i], random), reals([o, i], random), reals([o], random)],
  }),
  matmul: product(false, false),
  'matmul, a transposed': product(true, false),
  'matmul, b transposed': product(false, true),
  'matmul, both transposed': product(true, true),
};

export const LINEAR_REFERENCE: Readonly<Record<string, Formula>> = {
  'ops/linear'(inputs) {
    const [x, w] = [arg(inputs, 0), arg(inputs, 1)];
    const [O = 0, I = 0] = w.shape;
    const y = productOf(
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
    return productOf(M, N, K, A, B);
  },
};

export const LINEAR_RECIPES: Readonly<Record<string, Recipe>> = { linear: direct('ops/linear') };
