/**
 * A torch.matmul as numbers: M, N, K, the strides of both operands, and the batch dimensions that are kept or summed
 * (dimensions along which an operand was broadcast, if its gradient is computed). Dimensions that can be walked with
 * one stride are merged: [B, M, K] @ [K, N] is a single product of B * M rows, and the gradient of [K, N] a single sum
 * over B * M. Shapes only; matmul.ts computes.
 */

import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs, TensorType } from '../../op';

/** One dimension of the batch: its size, and the step of a and of b along it in elements (0: broadcast). */
export interface BatchDim {
  readonly size: number;
  readonly a: number;
  readonly b: number;
}

export interface BatchedProduct {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** Steps of a over (m, k) and of b over (k, n), in elements. */
  readonly steps: readonly [am: number, ak: number, bk: number, bn: number];
  /** Outermost first; the output is dense over them, then over M and N. */
  readonly kept: readonly BatchDim[];
  /** Summed before k, outermost first. */
  readonly summed: readonly BatchDim[];
  readonly outShape: Shape;
}

const shapeAttr = (attrs: Attrs, name: string): Shape | undefined => {
  const value = lookup(attrs, name);
  return typeof value === 'object' ? value : undefined;
};

/** A vector is a row on the left and a column on the right, as in torch.matmul. */
export const matrixOf = (shape: Shape, side: 'left' | 'right'): Shape => {
  if (shape.length !== 1) return shape;
  return side === 'left' ? [1, at(shape, 0)] : [at(shape, 0), 1];
};

export function batchedProduct(inputs: readonly Pick<TensorType, 'shape'>[], attrs: Attrs): BatchedProduct {
  const [given, other] = [at(inputs, 0).shape, at(inputs, 1).shape];
  const a = shapeAttr(attrs, 'viewA') ?? matrixOf(given, 'left');
  const b = shapeAttr(attrs, 'viewB') ?? matrixOf(other, 'right');
  // A vector cannot be transposed.
  const ta = attrs.transposeA === true && (given.length > 1 || 'viewA' in attrs);
  const tb = attrs.transposeB === true && (other.length > 1 || 'viewB' in attrs);
  const [a0, a1] = [at(a, a.length - 2), at(a, a.length - 1)];
  const [b0, b1] = [at(b, b.length - 2), at(b, b.length - 1)];
  const [M, K] = ta ? [a1, a0] : [a0, a1];
  const [rows, N] = tb ? [b1, b0] : [b0, b1];
  if (K !== rows) refuse(given, other, { M, K, rows, N });
  const batch = broadcast(a.slice(0, -2), b.slice(0, -2));
  const sumTo = shapeAttr(attrs, 'sumTo');
  const outBatch = sumTo?.slice(0, -2) ?? batch;
  const missing = batch.length - outBatch.length;
  const dims = batch.map((size, d) => ({
    size,
    a: stepOf(a, d - (batch.length - (a.length - 2))),
    b: stepOf(b, d - (batch.length - (b.length - 2))),
    kept: d >= missing && outBatch[d - missing] === size,
  }));
  const outShape = sumTo ?? [
    ...batch,
    ...(given.length === 1 && !('viewA' in attrs) ? [] : [M]),
    ...(other.length === 1 && !('viewB' in attrs) ? [] : [N]),
  ];
  const steps = [ta ? 1 : K, ta ? M : 1, tb ? 1 : N, tb ? K : 1] as const;
  return folded({
    M,
    N,
    K,
    steps,
    kept: collapse(dims.filter((d) => d.kept)),
    summed: collapse(dims.filter((d) => !d.kept)),
    outShape: outShape.length === 0 ? [1] : outShape,
  });
}

/** Stride along batch dimension d of a shape; 0 if the dimension is broadcast (absent, or of size 1). */
function stepOf(shape: Shape, d: number): number {
  return d < 0 || shape[d] === 1 ? 0 : elements(shape.slice(d + 1));
}

export function broadcast(a: Shape, b: Shape): Shape {
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, d) => {
    const x = a[d - (length - a.length)] ?? 1;
    const y = b[d - (length - b.length)] ?? 1;
    if (x === y || y === 1) return x;
    if (x === 1) return y;
    throw new LockstepError(
      'shape',
      `The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${d}`,
      'The batch dimensions of a matmul are broadcast: equal sizes, or 1.',
    );
  });
}

/** Merges neighbouring dimensions that can be walked with one stride, and drops dimensions of size 1. */
function collapse(dims: readonly BatchDim[]): BatchDim[] {
  const list: BatchDim[] = [];
  for (const { size, a, b } of dims) {
    if (size === 1) continue;
    const outer = list.at(-1);
    if (outer && outer.a === a * size && outer.b === b * size)
      list[list.length - 1] = { size: outer.size * size, a, b };
    else list.push({ size, a, b });
  }
  return list;
}

/** Merges the innermost batch dimension into the rows, or into k, if the strides allow it. */
function folded(product: BatchedProduct): BatchedProduct {
  let { M, K } = product;
  const [am, ak, bk] = product.steps;
  const kept = [...product.kept];
  const summed = [...product.summed];
  const last = kept.at(-1);
  if (last && last.b === 0 && last.a === am * M) {
    kept.pop();
    M *= last.size;
  }
  const inner = summed.at(-1);
  if (inner && inner.a === ak * K && inner.b === bk * K) {
    summed.pop();
    K *= inner.size;
  }
  return { ...product, M, K, kept, summed };
}

/** PyTorch merges the batch into the rows before it refuses; with two batches it names bmm's sizes. */
function refuse(a: Shape, b: Shape, { M, K, rows, N }: Record<'M' | 'K' | 'rows' | 'N', number>): never {
  const left = elements(a.slice(0, -2)) * M;
  const right = elements(b.slice(0, -2)) * N;
  const say = (): string => {
    if (a.length === 1 && b.length === 1)
      return `inconsistent tensor size, expected tensor [${K}] and src [${rows}] to have the same number of elements, but got ${K} and ${rows} elements respectively`;
    if (b.length === 1) return `size mismatch, got ${left}, ${left}x${K},${rows}`;
    if (a.length === 1 && b.length > 2) return `size mismatch, got ${right}, ${right}x${rows},${K}`;
    if (b.length === 2) return `mat1 and mat2 shapes cannot be multiplied (${left}x${K} and ${rows}x${N})`;
    if (a.length === 2) return `mat1 and mat2 shapes cannot be multiplied (${right}x${rows} and ${K}x${M})`;
    const batch = elements(broadcast(a.slice(0, -2), b.slice(0, -2)));
    return `Expected size for first two dimensions of batch2 tensor to be: [${batch}, ${K}] but got: [${batch}, ${rows}].`;
  };
  throw new LockstepError('shape', say(), 'The last dimension of a must equal the second-to-last dimension of b.');
}
