/**
 * Dimensions as PyTorch counts them, and the view [outer, n, inner] of a dense tensor along one dimension, which
 * kernels use. For operators with a `dim`; shapes themselves are in `tensor/shape`.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { elements, type Shape } from '../tensor/shape';
import type { Attrs } from './op';

/** A stretch of a dense tensor: `n` elements `inner` apart, outer * inner times. */
export interface Extent {
  readonly outer: number;
  readonly n: number;
  readonly inner: number;
}

/** A dimension counted from the front; throws in PyTorch's words. */
export function wrapDim(dim: number, rank: number): number {
  const wrapped = dim < 0 ? dim + rank : dim;
  if (Number.isInteger(dim) && wrapped >= 0 && wrapped < rank) return wrapped;
  const range = `expected to be in range of [${-rank}, ${rank - 1}], but got ${dim}`;
  throw new LockstepError('shape', `Dimension out of range (${range})`);
}

/** Attr `dim` counted from the front; `fallback` where it is absent. */
export const dimOf = (attrs: Attrs, rank: number, fallback = -1): number =>
  wrapDim(typeof attrs.dim === 'number' ? attrs.dim : fallback, rank);

export function extentAlong(shape: Shape, dim: number): Extent {
  return { outer: elements(shape.slice(0, dim)), n: at(shape, dim), inner: elements(shape.slice(dim + 1)) };
}

/** Elements between neighbours of each dimension of a dense tensor. */
export function denseStrides(shape: Shape): readonly number[] {
  return shape.map((_, d) => elements(shape.slice(d + 1)));
}
