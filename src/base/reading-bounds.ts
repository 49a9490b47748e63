/**
 * Limits of a file's contents, in proportion to its size: how far packed bytes may unpack, how many values it may hold
 * and how deep they may nest. In a pickle, each further reference to a list takes two bytes, and a byte of gzip may
 * unpack to a thousand: readers of such files check these limits first, so that time and memory grow only with the
 * file's size. Readers word their own errors.
 */

/** The deepest nesting of lists and objects. JSON.stringify and the schemas recurse into them. */
export const MOST_DEPTH = 200;

/** A value takes at least one byte; a list counts once for each reference to it. */
const VALUES_PER_BYTE = 16;
const VALUES_FLOOR = 100_000;

/** Texts and pictures pack to a thirtieth, empty ones to less. */
const MOST_RATIO = 200;
const UNPACKED_FLOOR = 128 * 2 ** 20;

/** The number of bytes that a packed file may unpack to; `most`: the reader's limit for any file. */
export const unpackedAtMost = (packedBytes: number, most: number): number =>
  Math.min(most, UNPACKED_FLOOR + MOST_RATIO * packedBytes);

/** Drawings on an empty ground pack hundreds of pixels into a byte, photographs less than two. */
const PIXELS_PER_BYTE = 200;
const PIXELS_FLOOR = 2 ** 26;

/** The number of pixels that images with this many bytes may have in all; `most`: the limit for any files. */
export const pixelsAtMost = (bytes: number, most: number): number =>
  Math.min(most, PIXELS_FLOOR + PIXELS_PER_BYTE * bytes);

/**
 * Which limit a value read from this many bytes exceeds, as the end of a sentence ("its lists and objects are nested
 * ..."), or undefined. Looks at no more values than the limit allows. Maps (a pickle's dicts) count with keys and
 * values.
 */
export function tooMuchOf(value: unknown, bytes: number): string | undefined {
  const most = VALUES_FLOOR + VALUES_PER_BYTE * bytes;
  const open: { readonly next: Iterator<unknown> }[] = [{ next: [value].values() }];
  let seen = 0;
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { done, value: inner } = top.next.next();
    if (done) {
      open.pop();
      continue;
    }
    seen++;
    if (seen > most)
      return `its lists refer to one another, which expands ${bytes.toLocaleString('en')} bytes into more than ${most.toLocaleString('en')} values`;
    const within = contentsOf(inner);
    if (within === undefined) continue;
    if (open.length > MOST_DEPTH) return `its lists and objects are nested more than ${MOST_DEPTH} deep`;
    open.push({ next: within });
  }
  return undefined;
}

function contentsOf(value: unknown): Iterator<unknown> | undefined {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  if (value instanceof Map) return bothOf(value);
  return (Array.isArray(value) ? value : Object.values(value)).values();
}

function* bothOf(map: ReadonlyMap<unknown, unknown>): Generator<unknown> {
  for (const [key, value] of map) {
    yield key;
    yield value;
  }
}
