/**
 * The linear operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import type { Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type Maker, type OpCase, reals } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, el, type Formula, product as productOf, range } from '../reference-tools';

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
  'matmul of vectors': ([, , k], random) => matmul(random, [k], [k]),
  'matmul, matrix and vector': ([m, , k], random) => matmul(random, [m, k], [k]),
  'matmul, vector and batch': ([m, n, k], random) => matmul(random, [k], [m, k, n]),
  'matmul, batch and vector': ([m, n, k], random) => matmul(random, [n, m, k], [k]),
  'matmul, batch and matrix': ([m, n, k], random) => matmul(random, [2, 3, m, k], [k, n]),
  'matmul, matrix and batch': ([m, n, k], random) => matmul(random, [m, k], [3, k, n]),
  'matmul of batches': ([m, n, k], random) => matmul(random, [2, 3, m, k], [2, 3, k, n]),
  'matmul of batches, a transposed': ([m, n, k], random) => matmul(random, [3, k, m], [3, k, n], { transposeA: true }),
  'matmul of batches, b transposed': ([m, n, k], random) =>
    matmul(random, [2, 3, m, k], [3, n, k], { transposeB: true }),
  'matmul of batches, both transposed': ([m, n, k], random) =>
    matmul(random, [3, k, m], [2, 1, n, k], { transposeA: true, transposeB: true }),
  'matmul, batches broadcast': ([m, n, k], random) => matmul(random, [2, 1, 2, m, k], [2, 1, k, n]),
};

/** A batch of matrices of at most 4 x 4: the formula is differenced element by element. */
function matmul(random: () => number, a: Shape, b: Shape, attrs: Attrs = {}): OpCase {
  const small = (shape: Shape) => shape.map((size) => Math.min(size, 4));
  return { op: 'ops/matmul', attrs, inputs: [reals(small(a), random), reals(small(b), random)] };
}

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
    const [x, y] = [arg(inputs, 0), arg(inputs, 1)];
    const a = x.shape.length === 1 ? [1, ...x.shape] : x.shape;
    const b = y.shape.length === 1 ? [...y.shape, 1] : y.shape;
    const [ta, tb] = [attrs.transposeA === true, attrs.transposeB === true];
    const [a0 = 0, a1 = 0] = a.slice(-2);
    const [b0 = 0, b1 = 0] = b.slice(-2);
    const rank = Math.max(a.length, b.length) - 2;
    const padded = (shape: Shape) => [...Array<number>(rank + 2 - shape.length).fill(1), ...shape.slice(0, -2)];
    const [left, right] = [padded(a), padded(b)];
    const batch = left.map((size, d) => Math.max(size, right[d] ?? 1));
    return range(batch.reduce((n, size) => n * size, 1)).flatMap((z) => {
      // The index of the batch, digit by digit; a dimension of size 1 stays at 0.
      const place = (sizes: readonly number[]) => {
        let [index, unit, rest] = [0, 1, z];
        for (let d = rank - 1; d >= 0; d--) {
          const [size, own] = [el(batch, d), el(sizes, d)];
          index += unit * (own === 1 ? 0 : rest % size);
          unit *= own;
          rest = Math.floor(rest / size);
        }
        return index;
      };
      const [i, j] = [place(left) * a0 * a1, place(right) * b0 * b1];
      const A = (m: number, k: number) => el(x.data, i + (ta ? k * a1 + m : m * a1 + k));
      const B = (k: number, n: number) => el(y.data, j + (tb ? n * b1 + k : k * b1 + n));
      return productOf(ta ? a1 : a0, tb ? b0 : b1, ta ? a0 : a1, A, B);
    });
  },
};

export const LINEAR_RECIPES: Readonly<Record<string, Recipe>> = {
  linear: direct('ops/linear'),
  matmul: direct('ops/matmul'),
};
