/**
 * c = op(a) op(b), as torch.matmul: vectors, matrices, and batches of matrices whose batch dimensions are broadcast;
 * attrs `transposeA`, `transposeB` transpose the last two dimensions. Its gradients are products again: `viewA` and
 * `viewB` are the shapes as which an operand is read, and `sumTo` is the shape to which the result is summed over the
 * dimensions along which the operand was broadcast. Every element is one float32 sum, over the summed batch and then k,
 * in order.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { CpuArgs, DenseLaunch, OpDef, OpTypes } from '../../op';
import { tiledProduct } from '../../tiled-product';
import { type BatchDim, type BatchedProduct, batchedProduct, broadcast, matrixOf } from './batched-product';

/**
 * The most dimensions that ops/matmul-batched supports. Only tensors of seven dimensions, broadcast alternately on the
 * left and on the right, would need more.
 */
const MOST_KEPT = 3;
const MOST_SUMMED = 2;
/** Rows and columns per invocation of matmul/batched. */
const TILE = 4;

/** Calls `visit` with the offsets of a and b for every index of the dimensions, in order. */
function walk(dims: readonly BatchDim[], visit: (a: number, b: number) => void, a = 0, b = 0, d = 0): void {
  const dim = dims[d];
  if (!dim) visit(a, b);
  else for (let i = 0; i < dim.size; i++) walk(dims, visit, a + i * dim.a, b + i * dim.b, d + 1);
}

function compute({ inputs, outputs, inputTypes, attrs, scratch }: CpuArgs): void {
  const { M, N, K, steps, kept, summed } = batchedProduct(inputTypes, attrs);
  const [aStrides, bStrides] = [[steps[0], steps[1]] as const, [steps[2], steps[3]] as const];
  const [a, b, c] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  let out = 0;
  walk(kept, (aKept, bKept) => {
    let add = false;
    walk(summed, (aSum, bSum) => {
      scratch.product({
        M,
        N,
        K,
        a: { data: a, offset: aKept + aSum, strides: aStrides },
        b: { data: b, offset: bKept + bSum, strides: bStrides },
        c: { data: c, offset: out },
        add,
      });
      add = true;
    });
    out += M * N;
  });
}

/** The dimensions, outermost first, padded in front with dimensions of size 1. */
function padded(dims: readonly BatchDim[], most: number): readonly BatchDim[] {
  if (dims.length > most)
    throw new LockstepError(
      'shape',
      `matmul with ${dims.length} batch dimensions that alternate between a and b in being broadcast is not supported`,
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
    /** The gradient of operand `of`; each side has a flag whether it is transposed. */
    const product = (of: 0 | 1, left: readonly [Viewed, boolean], right: readonly [Viewed, boolean]) =>
      c.emit(
        'ops/matmul',
        [left[0].id, right[0].id],
        {
          ...{ transposeA: left[1], transposeB: right[1], viewA: left[0].view, viewB: right[0].view },
          sumTo: at(c.types.inputs, of).shape,
        },
        [of],
      )[0];
    const da = () => (ta ? product(0, [b, tb], [d, true]) : product(0, [d, false], [b, !tb]));
    const db = () => (tb ? product(1, [d, true], [a, ta]) : product(1, [a, !ta], [d, false]));
    return [c.needsGrad(0) ? da() : undefined, c.needsGrad(1) ? db() : undefined];
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
