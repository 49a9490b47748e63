/**
 * Test cases of every operator: its inputs for three sizes and a seed. The property tests and the GPU tests draw from the same list, so an operator
 * added here is held against float64, against numeric gradients, and on the GPU.
 */

import { elements, type HostArray, type Shape } from '../../tensor/shape';
import type { Attrs, TensorType } from '../op';

export interface CaseInput {
  readonly type: TensorType;
  readonly data: HostArray;
  /** Whether the operator has a gradient for it. */
  readonly wrt: boolean;
}

export interface OpCase {
  readonly op: string;
  readonly attrs: Attrs;
  readonly inputs: readonly CaseInput[];
}

export type Sizes = readonly [number, number, number];
type Maker = (sizes: Sizes, random: () => number) => OpCase;

/** Small fast generator of test data (xorshift); nothing to do with PyTorch's. */
export function randomSource(seed: number): () => number {
  let s = (seed * 2654435761 + 88675123) >>> 0 || 1;
  return () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s / 2 ** 32;
  };
}

/** Values in (-2, 2) that keep 0.01 away from 0, where ReLU has no slope to difference. */
function reals(shape: Shape, random: () => number, wrt = true): CaseInput {
  const data = Float32Array.from({ length: elements(shape) }, () => {
    const v = random() * 4 - 2;
    return v < 0 ? v - 0.01 : v + 0.01;
  });
  return { type: { shape, dtype: 'f32' }, data, wrt };
}

function labels(rows: number, classes: number, random: () => number): CaseInput {
  const data = Int32Array.from({ length: rows }, () => Math.floor(random() * classes));
  return { type: { shape: [rows], dtype: 'i32' }, data, wrt: false };
}

const unary =
  (op: string, attrs: Attrs = {}): Maker =>
  ([a, b], random) => ({ op, attrs, inputs: [reals([a, b], random)] });

const product =
  (transposeA: boolean, transposeB: boolean): Maker =>
  ([m, n, k], random) => ({
    op: 'ops/matmul',
    attrs: { transposeA, transposeB },
    inputs: [reals(transposeA ? [k, m] : [m, k], random), reals(transposeB ? [n, k] : [k, n], random)],
  });

const reduction =
  (attrs: Attrs): Maker =>
  ([a, b, c], random) => ({ op: 'ops/sum', attrs, inputs: [reals([a, b, c], random)] });

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

export const CASES: Readonly<Record<string, Maker>> = {
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
  softmax: unary('ops/softmax'),
  'log-softmax': unary('ops/log-softmax'),
  sum: reduction({}),
  'sum over dim 0': reduction({ dim: 0 }),
  'sum over dim 1, kept': reduction({ dim: 1, keepdim: true }),
  mean: reduction({ mean: true }),
  'mean over dim -1': reduction({ dim: -1, mean: true }),
  'mse mean': elementLoss('loss/mse', 'mean'),
  'mse sum': elementLoss('loss/mse', 'sum'),
  'bce-with-logits mean': elementLoss('loss/bce-with-logits', 'mean'),
  'bce-with-logits sum': elementLoss('loss/bce-with-logits', 'sum'),
  'cross-entropy mean': classLoss('mean'),
  'cross-entropy sum': classLoss('sum'),
};
