/** Small files that unpack to large ones: unpacked only up to the limit, and refused with the sizes. */
import { deflateSync } from 'node:zlib';
import { encode } from 'fast-png';
import { Inflate, Unzlib, zipSync, zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { pixelChunks } from './png-chunks';
import { unpackWithin } from './unpack';
import { unzip, zipEntries } from './zip';

const MIB = 2 ** 20;
/** Packed by Node, which is ten times faster. */
const zeros = (bytes: number) => new Uint8Array(deflateSync(new Uint8Array(bytes), { level: 9 }));
const BOMB = zeros(64 * MIB);

test('unpacking stops soon after the limit', () => {
  let seen = 0;
  const { bytes, isTooMuch } = unpackWithin([BOMB], MIB, Unzlib, (piece) => {
    seen += piece.length;
  });
  expect(isTooMuch).toBe(true);
  expect(bytes).toBeLessThan(32 * MIB);
  expect(seen).toBeLessThanOrEqual(MIB);
});

/** A PNG of 8 x 8 gray pixels with these chunks instead of its pixels; their checksums are not tested here. */
function png(...chunks: readonly (readonly [type: string, data: Uint8Array])[]): Uint8Array {
  const plain = encode({ width: 8, height: 8, data: new Uint8Array(64), depth: 8, channels: 1 });
  const parts = [plain.subarray(0, 33)];
  for (const [type, data] of [...chunks, ['IEND', new Uint8Array()] as const]) {
    const chunk = new Uint8Array(12 + data.length);
    new DataView(chunk.buffer).setUint32(0, data.length);
    chunk.set(new TextEncoder().encode(type), 4);
    chunk.set(data, 8);
    parts.push(chunk);
  }
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe('PNG', () => {
  test('pixels that unpack to more than the image has', () => {
    const bomb = png(['IDAT', BOMB]);
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => pixelChunks('x.png', bomb, Unzlib)).toThrow(
      'x.png: found pixels that unpack to more than 0.0 MiB, expected 72 bytes for 8 x 8 pixels of 8 bits.',
    );
    const inTwo = [BOMB.subarray(0, 30_000), BOMB.subarray(30_000)] as const;
    expect(() => pixelChunks('x.png', png(['IDAT', inTwo[0]], ['IDAT', inTwo[1]]), Unzlib)).toThrow(
      '72 bytes for 8 x 8',
    );
  });

  test('chunks that are no pixels do not reach the decoder', () => {
    const pixels = ['IDAT', zlibSync(new Uint8Array(72))] as const;
    const plain = png(pixels);
    expect(pixelChunks('x.png', png(['iCCP', BOMB], ['zTXt', BOMB], pixels, ['fdAT', BOMB]), Unzlib)).toEqual(plain);
    expect(pixelChunks('x.png', plain, Unzlib)).toEqual(plain);
  });

  test.each([
    ['a second header', png(['IHDR', new Uint8Array(13)]), 'byte 33: found a second header'],
    ['a colour type that there is not', png().fill(5, 25, 26), 'byte 24: found colour type 5 of 8 bits'],
    ['pixels that are not packed', png(['IDAT', new Uint8Array(100)]), 'x.png: found a broken PNG ('],
  ])('%s', (_, bytes, message) => expect(() => pixelChunks('x.png', bytes, Unzlib)).toThrow(message));
});

describe('zip', () => {
  const all = () => true;
  const archive = zipSync({ 'a.png': new Uint8Array(16 * MIB), 'b.png': new Uint8Array(10).fill(7) });
  const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Makes the archive declare this size for its first file. */
  function saying(bytes: number): Uint8Array {
    const copy = Uint8Array.from(archive);
    const directory = view(copy).getUint32(copy.length - 22 + 16, true);
    view(copy).setUint32(directory + 24, bytes, true);
    return copy;
  }

  test('only the requested files are unpacked', () => {
    expect(unzip('x.zip', archive, (name) => name === 'b.png', MIB, Inflate)).toEqual([
      ['b.png', new Uint8Array(10).fill(7)],
    ]);
    expect(zipEntries(archive)?.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['a.png', 16 * MIB],
      ['b.png', 10],
    ]);
  });

  test('more than is allowed, by the sizes in the archive, and by the unpacked bytes', () => {
    expect(() => unzip('x.zip', archive, all, MIB, Inflate)).toThrow(
      'x.zip: found files that unpack to 16 MiB, expected at most 1.0 MiB.',
    );
    expect(() => unzip('x.zip', saying(100), all, 32 * MIB, Inflate)).toThrow(
      'x.zip: found a zip archive that does not unpack (a.png: its size is not the 0.0 MiB that the archive states)',
    );
    expect(() => unzip('x.zip', saying(32 * MIB - 10), all, 32 * MIB, Inflate)).toThrow('its size is not the 32 MiB');
  });

  test.each([
    ['encrypted', 8, 1, 'a.png: it is encrypted'],
    ['another method', 10, 9, 'a.png: it is packed by method 9'],
    ['a place that is none', 42, 77, 'a.png: it is not at the offset that the directory states'],
    ['longer than the archive', 20, 2 ** 31, 'a.png: it is cut off'],
  ])('%s', (_, at, value, message) => {
    const copy = Uint8Array.from(archive);
    const directory = view(copy).getUint32(copy.length - 22 + 16, true);
    if (at === 8 || at === 10) view(copy).setUint16(directory + at, value, true);
    else view(copy).setUint32(directory + at, value, true);
    expect(() => unzip('x.zip', copy, all, 32 * MIB, Inflate)).toThrow(message);
  });
});
