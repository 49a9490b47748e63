/**
 * The dimensions that an operator reduces, and the kernels' views [outer, n, inner] of them. Dimensions come from the
 * attrs `dim` (a number, a list, or absent for all) and `keepdim`, as in torch.sum. For the operators of this folder.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dimOf, type Extent, extentAlong, wrapDim } from '../../dims';
import type { Attrs } from '../../op';

/** Reduced dimensions in rising order; none named (or an empty list) means all. */
export function dimsOf(shape: Shape, attrs: Attrs): readonly number[] {
  const wanted = typeof attrs.dim === 'number' ? [attrs.dim] : Array.isArray(attrs.dim) ? (attrs.dim as number[]) : [];
  if (wanted.length === 0) return shape.map((_, i) => i);
  const dims = wanted.map((dim) => wrapDim(dim, shape.length)).sort((a, b) => a - b);
  const twice = dims.find((dim, i) => dim === dims[i - 1]);
  if (twice !== undefined) throw new LockstepError('shape', `dim ${twice} appears multiple times in the list of dims`);
  return dims;
}

/** Shape of the result; [1], this project's scalar, if no dimension remains. */
export function reducedShape(shape: Shape, attrs: Attrs): Shape {
  const dims = dimsOf(shape, attrs);
  const kept =
    attrs.keepdim === true
      ? shape.map((size, i) => (dims.includes(i) ? 1 : size))
      : shape.filter((_, i) => !dims.includes(i));
  return kept.length === 0 ? [1] : kept;
}

/**
 * One extent per run of adjacent dimensions, the last run first; each extent views the tensor after the later runs were
 * reduced. Reducing the runs one after another gives the result.
 */
export function extentsOf(shape: Shape, attrs: Attrs): readonly Extent[] {
  const dims = dimsOf(shape, attrs);
  const extents: Extent[] = [];
  for (let last = dims.length - 1; last >= 0; ) {
    let first = last;
    while (first > 0 && at(dims, first - 1) === at(dims, first) - 1) first--;
    const from = at(dims, first);
    const to = at(dims, last) + 1;
    const inner = elements(shape.slice(to).filter((_, i) => !dims.includes(to + i)));
    extents.push({ outer: elements(shape.slice(0, from)), n: elements(shape.slice(from, to)), inner });
    last = first - 1;
  }
  return extents;
}

/**
 * The single extent of operators that cannot reduce run by run (var, max, logsumexp); throws if the dimensions are not
 * adjacent.
 */
export function extentOf(shape: Shape, attrs: Attrs, op: string): Extent {
  const extents = extentsOf(shape, attrs);
  if (extents.length === 1) return at(extents, 0);
  throw new LockstepError(
    'shape',
    `${op}: the reduced dimensions must be adjacent`,
    'Permute the tensor first, so that they are.',
  );
}

/** The view of an operator along one dimension (attr `dim`, default the last): softmax, cumsum. */
export const lineOf = (shape: Shape, attrs: Attrs): Extent => extentAlong(shape, dimOf(attrs, shape.length));
