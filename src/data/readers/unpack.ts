/**
 * Unpacks deflated bytes piece by piece and stops at a limit, because a header's size may be wrong, and packed bytes
 * may unpack to a thousand times as many. The streams are fflate's, passed in because they are loaded only on demand.
 */

/** fflate's Inflate or Unzlib. */
export type Inflater = new (
  take: (piece: Uint8Array, final: boolean) => void,
) => { push(piece: Uint8Array, final?: boolean): void };

/** One byte unpacks to at most 1032, so a slice gives at most 16 MiB at once. */
const SLICE_BYTES = 16 * 1024;

export interface Unpacked {
  readonly bytes: number;
  readonly isTooMuch: boolean;
}

/** Passes on unpacked bytes until there are more than `most`; throws the stream's error if the bytes are damaged. */
export function unpackWithin(
  packed: readonly Uint8Array[],
  most: number,
  Stream: Inflater,
  take: (piece: Uint8Array) => void = () => undefined,
): Unpacked {
  let bytes = 0;
  const stream = new Stream((piece) => {
    bytes += piece.length;
    if (bytes <= most) take(piece);
  });
  for (const [index, part] of packed.entries()) {
    for (let from = 0; from < part.length; from += SLICE_BYTES) {
      const isLast = index === packed.length - 1 && from + SLICE_BYTES >= part.length;
      stream.push(part.subarray(from, from + SLICE_BYTES), isLast);
      if (bytes > most) return { bytes, isTooMuch: true };
    }
  }
  return { bytes, isTooMuch: false };
}

/** Joins the pieces. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
