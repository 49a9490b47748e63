/**
 * A piece of a tensor: the elements of the whole that a device holds, and their shape. Made from placements, one per
 * axis of the mesh, outermost first; a tensor that is cut along two axes is a piece of a piece. It holds no numbers.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { elements, formatShape, type Shape } from '../tensor/shape';
import type { Placement } from './placement';
import { chunkRange, joined, pick, type Range, total } from './range';

export interface Piece {
  /** For each dimension, ranges of indices of the whole; the piece has every combination of these indices. */
  readonly ranges: readonly (readonly Range[])[];
  /** Of these elements in row-major order, only this run; the piece then has one dimension. */
  readonly flat?: Range;
  /** Index, if the piece is one of several addends. */
  readonly addend?: number;
}

/** A piece, and the shape of the whole tensor. */
export interface TensorRegion {
  readonly shape: Shape;
  readonly piece: Piece;
}

/** A placement at one axis of the mesh, and the device's position on the axis. */
export interface Cut {
  readonly placement: Placement;
  readonly index: number;
  readonly count: number;
}

export const wholeOf = (shape: Shape): Piece => ({ ranges: shape.map((length) => joined([{ start: 0, length }])) });

/** The piece of the tensor after the cuts, outermost axis first. Throws if a dimension does not exist. */
export const pieceOf = (shape: Shape, cuts: readonly Cut[]): Piece => cuts.reduce(cut, wholeOf(shape));

function cut(piece: Piece, { placement, index, count }: Cut): Piece {
  switch (placement.kind) {
    case 'replicate':
      return piece;
    case 'partial':
      return { ...piece, addend: (piece.addend ?? 0) * count + index };
    case 'flat': {
      const { offset, length } = placement;
      const held = elements(pieceShape(piece));
      if (offset < 0 || length < 0 || offset + length > held)
        throw wrong(`A run of ${length} elements from ${offset} does not lie within ${held}.`);
      return { ...piece, flat: { start: (piece.flat?.start ?? 0) + offset, length } };
    }
    case 'shard': {
      const { dim, splitFactor } = placement;
      const own = piece.ranges[dim];
      if (!own || piece.flat)
        throw wrong(`Sharding dim ${dim} of a tensor with shape ${formatShape(pieceShape(piece))}.`);
      const n = total(own);
      const blocks = Array.from({ length: splitFactor }, (_, block) => chunkRange(n, block, splitFactor));
      const parts = blocks.flatMap(({ start, length }) => {
        const part = chunkRange(length, index, count);
        return pick(own, { start: start + part.start, length: part.length });
      });
      return { ...piece, ranges: piece.ranges.with(dim, joined(parts)) };
    }
  }
}

const wrong = (message: string): LockstepError => new LockstepError('internal', message, 'Report this.');

export const pieceShape = ({ ranges, flat }: Piece): Shape => (flat ? [flat.length] : ranges.map(total));

/** The elements of the whole that the piece has, in the piece's order, as runs of the whole in row-major order. */
export function runsOf(shape: Shape, { ranges, flat }: Piece): readonly Range[] {
  const runs = runsFrom(shape, ranges, 0);
  return flat ? pick(runs, flat) : runs;
}

function runsFrom(shape: Shape, ranges: Piece['ranges'], dim: number): readonly Range[] {
  if (dim === shape.length) return [{ start: 0, length: 1 }];
  const inner = runsFrom(shape, ranges, dim + 1);
  const size = elements(shape.slice(dim + 1));
  const [only] = inner;
  const own = at(ranges, dim);
  // If the inner dimensions are whole, a range of this dimension is a single run.
  if (inner.length === 1 && only?.length === size)
    return joined(own.map(({ start, length }) => ({ start: start * size, length: length * size })));
  const result: Range[] = [];
  for (const { start, length } of own) {
    for (let i = start; i < start + length; i++)
      for (const run of inner) result.push({ start: i * size + run.start, length: run.length });
  }
  return joined(result);
}

export const isWhole = (shape: Shape, piece: Piece): boolean =>
  piece.addend === undefined && samePiece(piece, wholeOf(shape));

/** Whether both have the same elements in the same order; different addends of one sum are not the same. */
export const samePiece = (a: Piece, b: Piece): boolean => keyOf(a) === keyOf(b);

/** A text that two pieces share when they are the same. */
export const keyOf = (piece: Piece): string => `${placeOf(piece)} ${piece.addend ?? ''}`;

/** A text that two pieces share when they are in the same place of the whole, as the addends of a sum do. */
export const placeOf = ({ ranges, flat }: Piece): string => JSON.stringify([ranges, flat ?? null]);
