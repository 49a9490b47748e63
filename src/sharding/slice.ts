/**
 * Between a whole tensor and the pieces that devices hold of it. `merge` of all pieces gives the whole back to the bit.
 * Everything that reads or writes weights by name goes through these two. Neither writes into what it is given; where
 * the piece is the whole, both hand out the array that they got.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { elements, formatShape, type HostArray, type Shape } from '../tensor/shape';
import { isWhole, type Piece, pieceShape, placeOf, runsOf } from './piece';

/** What a device holds of the whole. Of the addends of a sum, the first gets the value, the others nothing to add. */
export function slice<T extends HostArray>(whole: T, shape: Shape, piece: Piece): T {
  checkLength(whole, elements(shape), shape);
  if (isWhole(shape, piece)) return whole;
  const result = like(whole, elements(pieceShape(piece)));
  // x + -0 is x for every x, and x + 0 is not for x = -0.
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
 * The whole, from pieces that cover it. Of replicas the first counts, addends are summed in their order. Throws where
 * an element is missing or two different pieces have it.
 */
export function merge<T extends HostArray>(shape: Shape, parts: readonly HeldPiece<T>[]): T {
  const [first] = parts;
  if (!first) throw wrong(shape, 'nobody holds a part of it');
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
  if (missing > 0) throw wrong(shape, `nobody holds ${missing} of its elements`);
  return result;
}

/** The parts by what they cover, each addend of a place once. */
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
