/**
 * What may come of a file, by the size of the file: how far packed bytes may unpack, how many values may hang together
 * and how deep. A list in a pickle may refer to another list thousands of times for two bytes each, and a byte of gzip
 * may stand for a thousand: whoever reads such a file asks here before going on, so that time and memory grow with the
 * file and with nothing else. Who reads says in its own words what is wrong.
 */

/** Lists and objects within each other. JSON.stringify and the schemas go through them by recursion. */
export const MOST_DEPTH = 200;

/** A value takes a byte at least; lists that are referred to count each time. */
const VALUES_PER_BYTE = 16;
const VALUES_FLOOR = 100_000;

/** Texts and pictures pack to a thirtieth, empty ones to less. */
const MOST_RATIO = 200;
const UNPACKED_FLOOR = 128 * 2 ** 20;

/** Bytes that a packed file may unpack to; `most`: what its reader takes of any file. */
export const unpackedAtMost = (packedBytes: number, most: number): number =>
  Math.min(most, UNPACKED_FLOOR + MOST_RATIO * packedBytes);

/** Drawings on an empty ground pack hundreds of pixels into a byte, photographs less than two. */
const PIXELS_PER_BYTE = 200;
const PIXELS_FLOOR = 2 ** 26;

/** Pixels that images of so many bytes may have in all; `most`: what is taken of any files. */
export const pixelsAtMost = (bytes: number, most: number): number =>
  Math.min(most, PIXELS_FLOOR + PIXELS_PER_BYTE * bytes);

/**
 * What is too much about a value read from so many bytes, as the end of a sentence ("its lists are nested ..."), or
 * undefined. Looks at no more values than are allowed. Maps (a pickle's dicts) count with keys and values.
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
