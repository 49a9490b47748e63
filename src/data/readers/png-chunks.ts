/**
 * Checks the chunks of a PNG before the decoder reads them: signature, header, whole chunks up to IEND, and pixels that
 * unpack to no more than an image of this size. Only the chunks with pixels are passed to the decoder, because others
 * (profiles, texts, animation) may also unpack to any size.
 */
import { dataError } from '../data-error';
import { mebibytes } from '../limits';
import { type Inflater, joined, unpackWithin } from './unpack';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const MAX_PIXELS = 4096 * 4096;
const AGAIN = 'The file is cut off or damaged; save it again, or remove it.';
const [IHDR, PLTE, IDAT, TRNS, IEND] = [0x49484452, 0x504c5445, 0x49444154, 0x74524e53, 0x49454e44] as const;
const OF_PIXELS: ReadonlySet<number> = new Set([IHDR, PLTE, IDAT, TRNS, IEND]);
/** The number of channels by colour type. */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
/** Some writers leave a few bytes after the last row. */
const SLACK_BYTES = 1024;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
}

/** The image with only the chunks of its pixels. */
export function pixelChunks(file: string, bytes: Uint8Array, Unzlib: Inflater): Uint8Array {
  const header = readHeader(file, bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [bytes.subarray(0, SIGNATURE.length)];
  const packed: Uint8Array[] = [];
  let byte = SIGNATURE.length;
  let type = 0;
  while (type !== IEND) {
    const end = byte + 8 <= bytes.length ? byte + 12 + view.getUint32(byte) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw dataError({ file, byte }, 'the end of the file', 'a whole chunk of PNG', AGAIN);
    type = view.getUint32(byte + 4);
    if (type === IHDR && byte > SIGNATURE.length)
      throw dataError({ file, byte }, 'a second header', 'one chunk IHDR', AGAIN);
    if (type === IDAT) packed.push(bytes.subarray(byte + 8, end - 4));
    if (OF_PIXELS.has(type)) kept.push(bytes.subarray(byte, end));
    byte = end;
  }
  const wanted = unpackedBytes(header);
  if (isMoreThan(file, packed, wanted + SLACK_BYTES, Unzlib)) {
    const { width, height, bitsPerPixel } = header;
    throw dataError(
      { file },
      `pixels that unpack to more than ${mebibytes(wanted)}`,
      `${wanted} bytes for ${width} x ${height} pixels of ${bitsPerPixel} bits`,
      AGAIN,
    );
  }
  return joined(kept);
}

/** The number of pixels by the image's header; 0 if `readHeader` refuses it. */
export function pixelsSaid(bytes: Uint8Array): number {
  if (bytes.length < 24 || SIGNATURE.some((byte, i) => bytes[i] !== byte)) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = view.getUint32(16) * view.getUint32(20);
  return pixels > MAX_PIXELS ? 0 : pixels;
}

function isMoreThan(file: string, packed: readonly Uint8Array[], most: number, Unzlib: Inflater): boolean {
  try {
    return unpackWithin(packed, most, Unzlib).isTooMuch;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw dataError({ file }, `a broken PNG (${reason})`, 'a PNG image', AGAIN);
  }
}

function readHeader(file: string, bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (SIGNATURE.some((byte, i) => bytes[i] !== byte))
    throw dataError({ file, byte: 0 }, 'another kind of file', 'a PNG image', 'Save the image as PNG.');
  if (bytes.length < 33 || view.getUint32(12) !== IHDR)
    throw dataError({ file, byte: 8 }, 'no image header', 'the chunk IHDR', AGAIN);
  const [width, height, depth, isInterlaced] = [
    view.getUint32(16),
    view.getUint32(20),
    bytes[24] ?? 0,
    bytes[28] === 1,
  ];
  if (width === 0 || height === 0 || width * height > MAX_PIXELS) {
    throw dataError(
      { file, byte: 16 },
      `an image of ${width} x ${height}`,
      `1 to ${MAX_PIXELS} pixels`,
      'Scale the image down.',
    );
  }
  if (isInterlaced && depth < 8) {
    throw dataError(
      { file, byte: 28 },
      `an interlaced image of ${depth} bits`,
      'an image that is not interlaced',
      'Save the image without interlacing.',
    );
  }
  const channels = CHANNELS.get(bytes[25] ?? -1);
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) {
    throw dataError({ file, byte: 24 }, `colour type ${bytes[25]} of ${depth} bits`, 'a colour type of PNG', AGAIN);
  }
  return { width, height, bitsPerPixel: depth * channels, isInterlaced };
}

/** The bytes of all rows with their filter bytes; each of the seven passes of an interlaced image has its own rows. */
function unpackedBytes({ width, height, bitsPerPixel, isInterlaced }: Header): number {
  const rows = (columns: number, count: number) =>
    columns === 0 ? 0 : count * (1 + Math.ceil((columns * bitsPerPixel) / 8));
  if (!isInterlaced) return rows(width, height);
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  return passes.reduce(
    (sum, [x, y, dx, dy]) =>
      sum + rows(Math.max(0, Math.ceil((width - x) / dx)), Math.max(0, Math.ceil((height - y) / dy))),
    0,
  );
}
