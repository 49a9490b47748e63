/**
 * c = op(a) op(b), as torch.matmul: vectors, matrices, and batches of matrices whose batch dimensions are broadcast;
 * attrs `transposeA`, `transposeB` transpose the last two dimensions. Its gradients are products again: `viewA`,
 * `viewB` say as what shape an operand is read, `sumTo` the shape that the result is summed to over the dimensions
 * along which the operand had been broadcast. Every element is one float32 sum, over the summed batch and then k, in
 * order.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { gemm } from '../../gemm';
import { dense, grid } from '../../launch';
import type { CpuArgs, DenseLaunch, OpDef, OpTypes, TensorType } from '../../op';
import { tiledProduct } from '../../tiled-product';
import { type BatchDim, type BatchedProduct, batchedProduct, broadcast, matrixOf } from './batched-product';

/**
 * What ops/matmul-batched can walk. More takes tensors of seven dimensions, broadcast in turn on the left and on the
 * right.
 */
const MOST_KEPT = 3;
const MOST_SUMMED = 2;
/** Rows and columns that an invocation of matmul/batched computes. */
const TILE = 4;

/** Calls `visit` with the offsets of a and b for every index of the dimensions, in order. */
function walk(dims: readonly BatchDim[], visit: (a: number, b: number) => void, a = 0, b = 0, d = 0): void {
  const dim = dims[d];
  if (!dim) visit(a, b);
  else for (let i = 0; i < dim.size; i++) walk(dims, visit, a + i * dim.a, b + i * dim.b, d + 1);
}

function compute({ inputs, outputs, inputTypes, attrs }: CpuArgs): void {
  const { M, N, K, steps, kept, summed } = batchedProduct(inputTypes, attrs);
  const [am, ak, bk, bn] = steps;
  const [a, b, c] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  let out = 0;
  walk(kept, (aKept, bKept) => {
    let add = false;
    walk(summed, (aSum, bSum) => {
      gemm(M, N, K, a, aKept + aSum, am, ak, b, bKept + bSum, bk, bn, c, out, add);
      add = true;
    });
    out += M * N;
  });
}

/** The numbers of one kept or summed dimension, outermost first, filled up in front with dimensions of size 1. */
function padded(dims: readonly BatchDim[], most: number): readonly BatchDim[] {
  if (dims.length > most)
    throw new LockstepError(
      'shape',
      `matmul over ${dims.length} batch dimensions that are broadcast in turn is not supported`,
      'Reshape neighbouring batch dimensions into one.',
    );
  return [...Array.from({ length: most - dims.length }, () => ({ size: 1, a: 0, b: 0 })), ...dims];
}

function lowerBatched(types: OpTypes, { M, N, K, steps, kept, summed }: BatchedProduct): DenseLaunch {
  const batch = padded(kept, MOST_KEPT);
  const sums = padded(summed, MOST_SUMMED);
  const count = batch.reduce((n, { size }) => n * size, 1);
  const params = [M, N, K, ...steps, count, ...[...batch, ...sums].flatMap(({ size, a, b }) => [size, a, b])];
  if (M < TILE || N < TILE) return dense('ops/matmul-batched', types, params, grid(count * M * N));
  return dense('matmul/batched', types, params, grid(count * Math.ceil(M / TILE) * Math.ceil(N / TILE)));
}

export const matmul: OpDef = {
  name: 'ops/matmul',
  infer(inputs, attrs) {
    return [{ shape: batchedProduct(inputs, attrs).outShape, dtype: 'f32' }];
  },
  gradient(c) {
    const dc = c.outputGrad(0);
    if (dc === undefined) return [];
    const [typeA, typeB] = [at(c.types.inputs, 0), at(c.types.inputs, 1)];
    const ta = c.types.attrs.transposeA === true && typeA.shape.length > 1;
    const tb = c.types.attrs.transposeB === true && typeB.shape.length > 1;
    const views = { a: matrixOf(typeA.shape, 'left'), b: matrixOf(typeB.shape, 'right') };
    const { M, N } = matrixSizes(views, ta, tb);
    const dcView = [...broadcast(views.a.slice(0, -2), views.b.slice(0, -2)), M, N];
    const [a, b] = [
      { id: c.input(0), view: views.a },
      { id: c.input(1), view: views.b },
    ];
    const d = { id: dc, view: dcView };
    const product = (
      left: Viewed,
      right: Viewed,
      transposeA: boolean,
      transposeB: boolean,
      of: number,
      to: TensorType,
    ) =>
      c.emit(
        'ops/matmul',
        [left.id, right.id],
        { transposeA, transposeB, viewA: left.view, viewB: right.view, sumTo: to.shape },
        [of],
      )[0];
    const da = c.needsGrad(0)
      ? ta
        ? product(b, d, tb, true, 0, typeA)
        : product(d, b, false, !tb, 0, typeA)
      : undefined;
    const db = c.needsGrad(1)
      ? tb
        ? product(d, a, true, ta, 1, typeB)
        : product(a, d, !ta, false, 1, typeB)
      : undefined;
    return [da, db];
  },
  cpu: compute,
  lower(types, tuning) {
    const product = batchedProduct(types.inputs, types.attrs);
    const { M, N, K, steps, kept, summed } = product;
    if (kept.length > 0 || summed.length > 0) return [lowerBatched(types, product)];
    const tiled = tiledProduct({ m: M, n: N, k: K, steps, a: 0, b: 1, c: 2 }, tuning);
    if (tiled) return [tiled];
    return [dense('ops/matmul', types, [M, N, K, ...steps], grid(M * N))];
  },
  flops(types) {
    const { K, summed } = batchedProduct(types.inputs, types.attrs);
    return 2 * elements(at(types.outputs, 0).shape) * K * summed.reduce((n, { size }) => n * size, 1);
  },
};

interface Viewed {
  readonly id: number;
  readonly view: Shape;
}

function matrixSizes({ a, b }: { readonly a: Shape; readonly b: Shape }, ta: boolean, tb: boolean) {
  return { M: at(a, a.length - (ta ? 1 : 2)), N: at(b, b.length - (tb ? 2 : 1)) };
}
