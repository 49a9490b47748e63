/**
 * PNG images as planes of gray or red, green and blue from 0 to 1: any colour type and depth, palettes and transparency
 * (laid over white). The decoder is fast-png, passed in because it is loaded only on demand; png-chunks.ts checks
 * structure and sizes first.
 */
import type { DecodedPng, decode } from 'fast-png';
import { brief } from '../../base/brief';
import { dataError } from '../data-error';
import { pixelChunks } from './png-chunks';
import type { Inflater } from './unpack';

export interface PngLibrary {
  readonly decode: typeof decode;
  /** fflate's Unzlib. */
  readonly Unzlib: Inflater;
  readonly convertIndexedToRgb: (png: DecodedPng) => Uint8Array;
}

export interface PngImage {
  readonly width: number;
  readonly height: number;
  /** One plane of height * width values (gray), or three. */
  readonly planes: readonly Float32Array<ArrayBuffer>[];
}

const AGAIN = 'The file is cut off or damaged; save it again, or remove it.';

export function readPng(file: string, bytes: Uint8Array, color: boolean, library: PngLibrary): PngImage {
  const chunks = pixelChunks(file, bytes, library.Unzlib);
  let png: DecodedPng;
  let pixels: Pixels;
  try {
    png = library.decode(chunks, { checkCrc: true });
    pixels = unpack(png, library);
  } catch (error) {
    const reason = brief(error instanceof Error ? error.message : String(error), 120);
    throw dataError({ file }, `a broken PNG (${reason})`, 'a PNG image', AGAIN);
  }
  return { width: png.width, height: png.height, planes: toPlanes(pixels, png.width * png.height, color) };
}

/** Pixels of 1 to 4 channels (gray, gray + alpha, RGB, RGBA), 0 to `most` each. */
interface Pixels {
  readonly data: ArrayLike<number>;
  readonly channels: number;
  readonly most: number;
  /** The colour that means transparent. */
  readonly key?: ArrayLike<number>;
}

function unpack(png: DecodedPng, library: PngLibrary): Pixels {
  if (png.palette !== undefined)
    return { data: library.convertIndexedToRgb(png), channels: png.palette[0]?.length ?? 3, most: 255 };
  const most = 2 ** png.depth - 1;
  const data = png.depth < 8 ? unpackBits(png) : png.data;
  const transparent = png.transparency;
  return { data, channels: png.channels, most, ...(transparent === undefined ? {} : { key: transparent }) };
}

/** Unpacks gray of 1, 2 or 4 bits: several pixels per byte; each row starts at a new byte. */
function unpackBits({ data, width, height, depth }: DecodedPng): Uint8Array {
  const out = new Uint8Array(width * height);
  const perRow = Math.ceil((width * depth) / 8);
  const mask = 2 ** depth - 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * depth;
      out[y * width + x] = ((data[y * perRow + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & mask;
    }
  }
  return out;
}

function toPlanes({ data, channels, most, key }: Pixels, n: number, color: boolean): Float32Array<ArrayBuffer>[] {
  const planes = Array.from({ length: color ? 3 : 1 }, () => new Float32Array(n));
  const colors = channels >= 3 ? 3 : 1;
  const value = (from: number, c: number): number => (data[from + Math.min(c, colors - 1)] as number) / most;
  for (let i = 0; i < n; i++) {
    const from = i * channels;
    const hidden = key !== undefined && [0, 1, 2].slice(0, colors).every((c) => data[from + c] === key[c]);
    const alpha = hidden ? 0 : channels === colors ? 1 : (data[from + colors] as number) / most;
    const over = (c: number): number => 1 - alpha + alpha * value(from, c);
    for (const [c, plane] of planes.entries()) {
      // The gray of a colour image, with the weights of ITU-R 601, as in Pillow's convert('L').
      plane[i] = color || colors === 1 ? over(c) : 0.299 * over(0) + 0.587 * over(1) + 0.114 * over(2);
    }
  }
  return planes;
}
