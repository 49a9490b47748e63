/**
 * Converts between a whole tensor and the pieces that devices hold. `merge` of all pieces gives back the whole bit for
 * bit. Everything that reads or writes weights by name uses these two functions. Neither changes its arguments; if the
 * piece is the whole, both return the given array.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { elements, formatShape, type HostArray, type Shape } from '../tensor/shape';
import { isWhole, type Piece, pieceShape, placeOf, runsOf } from './piece';

/** A device's piece of the whole. The first addend of a sum gets the value, the others get values that add nothing. */
export function slice<T extends HostArray>(whole: T, shape: Shape, piece: Piece): T {
  checkLength(whole, elements(shape), shape);
  if (isWhole(shape, piece)) return whole;
  const result = like(whole, elements(pieceShape(piece)));
  // -0, because x + -0 is x for every x, while -0 + 0 is 0.
  if ((piece.addend ?? 0) > 0) return fill(result, -0);
  let offset = 0;
  for (const { start, length } of runsOf(shape, piece)) {
    result.set(whole.subarray(start, start + length), offset);
    offset += length;
  }
  return result;
}

export interface HeldPiece<T extends HostArray = HostArray> {
  readonly piece: Piece;
  readonly data: T;
}

/**
 * Assembles the whole from pieces that cover it. The first of several replicas counts; addends are summed in order.
 * Throws if an element is missing, or if two different pieces have it.
 */
export function merge<T extends HostArray>(shape: Shape, parts: readonly HeldPiece<T>[]): T {
  const [first] = parts;
  if (!first) throw wrong(shape, 'no device holds a part of it');
  for (const { piece, data } of parts) checkLength(data, elements(pieceShape(piece)), shape);
  if (isWhole(shape, first.piece)) return first.data;
  const result = like(first.data, elements(shape));
  const covered = new Uint8Array(result.length);
  for (const same of byPlace(parts)) {
    const data = summed(same);
    let offset = 0;
    for (const { start, length } of runsOf(shape, at(same, 0).piece)) {
      if (covered.subarray(start, start + length).some((c) => c === 1)) throw wrong(shape, 'two pieces overlap');
      covered.fill(1, start, start + length);
      result.set(data.subarray(offset, offset + length), start);
      offset += length;
    }
  }
  const missing = covered.reduce((n, c) => n + 1 - c, 0);
  if (missing > 0) throw wrong(shape, `no device holds ${missing} of its elements`);
  return result;
}

/** Groups the parts by their place, with each addend of a place once. */
function byPlace<T extends HostArray>(parts: readonly HeldPiece<T>[]): readonly (readonly HeldPiece<T>[])[] {
  const places = new Map<string, Map<number | undefined, HeldPiece<T>>>();
  for (const part of parts) {
    const place = placeOf(part.piece);
    const addends = places.get(place) ?? new Map<number | undefined, HeldPiece<T>>();
    places.set(place, addends);
    if (!addends.has(part.piece.addend)) addends.set(part.piece.addend, part);
  }
  return [...places.values()].map((addends) => [...addends.values()]);
}

function summed<T extends HostArray>(addends: readonly HeldPiece<T>[]): T {
  const [first, ...others] = addends;
  const { data } = first ?? at(addends, 0);
  if (others.length === 0) return data;
  const sum = like(data, data.length);
  sum.set(data);
  for (const other of others) for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (other.data[i] ?? 0);
  return sum;
}

const like = <T extends HostArray>(array: T, length: number): T =>
  new (array.constructor as new (n: number) => T)(length);

function fill<T extends HostArray>(array: T, value: number): T {
  array.fill(value);
  return array;
}

function checkLength(data: HostArray, expected: number, shape: Shape): void {
  if (data.length !== expected) throw wrong(shape, `${data.length} elements were given for ${expected}`);
}

const wrong = (shape: Shape, what: string): LockstepError =>
  new LockstepError(
    'internal',
    `A tensor with shape ${formatShape(shape)} cannot be put together: ${what}.`,
    'Report this.',
  );
