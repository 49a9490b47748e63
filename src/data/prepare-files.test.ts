/** IDX and PNG files: their rows, Pillow's PNGs of every colour type, and the messages that refuse bad files. */
import { encode } from 'fast-png';
import { gzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import type { DataConfig, LossConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import { Generator } from '../tensor/generator';
import type { Dataset } from './dataset';
import fixtures from './fixtures/png-images.json';
import { makeDataset } from './make-dataset';
import { prepareFiles } from './prepare-files';
import { PREPARED } from './prepare-images';

const CE: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
type Bytes = Uint8Array<ArrayBuffer>;
const own = (bytes: Uint8Array): Bytes => Uint8Array.from(bytes);
const load = async (config: DataConfig, files: Files): Promise<Dataset> =>
  makeDataset(config, CE, new Generator(0), await prepareFiles(config, files));

/** An IDX file of unsigned bytes. */
function idx(shape: readonly number[], data: readonly number[]): Bytes {
  const bytes = new Uint8Array(4 + 4 * shape.length + data.length);
  bytes.set([0, 0, 8, shape.length]);
  for (const [i, size] of shape.entries()) new DataView(bytes.buffer).setUint32(4 + 4 * i, size);
  bytes.set(data, 4 + 4 * shape.length);
  return bytes;
}
const IDX: DataConfig = { type: 'idx', images: 'images', labels: 'labels', testFraction: 0 };
const images = idx([3, 2, 2], [0, 255, 51, 102, 1, 2, 3, 4, 5, 6, 7, 8]);
const labels = idx([3], [4, 0, 9]);

test('IDX: images over 255, labels as they are; gzipped or not', async () => {
  const set = await load(IDX, { images, labels });
  expect(set).toMatchObject({ kind: 'image', rows: 3, inputShape: [1, 2, 2], targetShape: [], classes: 10 });
  expect(set.inputs).toEqual(Float32Array.from([0, 255, 51, 102, 1, 2, 3, 4, 5, 6, 7, 8], (byte) => byte / 255));
  expect([...set.targets]).toEqual([4, 0, 9]);
  const packed = { images: own(gzipSync(images)), labels: own(gzipSync(labels)) };
  expect(await load(IDX, packed)).toEqual(set);
  expect(await load(IDX, { images, labels: packed.labels })).toEqual(set);
});

const truncatedGzip = own(gzipSync(images)).slice(0, -12);
test.each([
  [
    'another file',
    { images: new TextEncoder().encode('hello') },
    'images, byte 0: found the bytes 68 65 6c 6c, expected an IDX file of images, beginning 00 00 08 03.',
  ],
  [
    'floats',
    { images: Uint8Array.of(0, 0, 13, 3, 0, 0) },
    'images, byte 2: found type 0d (float32), expected type 08 (unsigned bytes).',
  ],
  ['labels as images', { images: labels }, 'images, byte 3: found 1 dimension, expected 3, as images have.'],
  [
    'a cut header',
    { images: images.slice(0, 9) },
    'images, byte 9: found the end of the file, expected a header of 16 bytes.',
  ],
  ['truncated', { images: images.slice(0, -1) }, 'images, byte 16: found 11 bytes of data, expected 12 for 3 x 2 x 2.'],
  [
    'too long',
    { labels: own(Buffer.concat([labels, labels])) },
    'labels, byte 8: found 14 bytes of data, expected 3 for 3.',
  ],
  [
    'counts that differ',
    { labels: idx([2], [0, 1]) },
    'labels, byte 4: found 2 labels, expected 3, one for each image of images.',
  ],
  ['one class', { labels: idx([3], [7, 7, 7]) }, 'labels: found only the label 7, expected at least two classes.'],
  [
    'one image',
    { images: idx([1, 2, 2], [1, 2, 3, 4]), labels: idx([1], [0]) },
    'images, byte 4: found 1 images of 2 x 2',
  ],
  ['empty', { images: new Uint8Array() }, 'images: found an empty file'],
  ['missing', { images: undefined }, 'images: found no such file'],
  ['gzip that is cut off', { images: truncatedGzip }, 'images: found gzip that does not unpack'],
])('IDX refused: %s', async (_, files, message) => {
  const given: Record<string, Bytes | undefined> = { images, labels, ...files };
  const present = Object.entries(given).flatMap(([name, bytes]) => (bytes ? [[name, bytes] as const] : []));
  await expect(load(IDX, Object.fromEntries(present))).rejects.toMatchObject({
    code: 'data',
    message: expect.stringContaining(message),
  });
});

test('archives that unpack to more than is allowed are refused', async () => {
  const mebibyte = 2 ** 20;
  const large = new Uint8Array(3 * mebibyte);
  const refusal = 'expected at most 2.0 MiB';
  await expect(prepareFiles(IDX, { images: own(gzipSync(large)), labels }, 2 * mebibyte)).rejects.toThrow(refusal);
  const zip = own(zipSync({ 'a/x.png': large, 'b/y.png': Uint8Array.of(1) }));
  expect(zip.length).toBeLessThan(mebibyte);
  await expect(prepareFiles({ ...PNG, zip: 'my.zip' }, { 'my.zip': zip }, 2 * mebibyte)).rejects.toThrow(
    'my.zip: found files that unpack to 3.0 MiB, expected at most 2.0 MiB.',
  );
});

const PNG: Extract<DataConfig, { type: 'png' }> = { type: 'png', size: 8, color: false, testFraction: 0 };
/** A PNG of one value everywhere. */
const flat = (value: number, width = 8, height = width): Bytes =>
  own(encode({ width, height, channels: 1, data: new Uint8Array(width * height).fill(value) }));

test('PNG files by folder: classes and order as ImageFolder has them, other files of the run kept', async () => {
  const weights = Uint8Array.of(1);
  const files = {
    'pets/dog/b.png': flat(20),
    'pets/dog/a.png': flat(10),
    'cat\\z.PNG': flat(30),
    'w.safetensors': weights,
  };
  const prepared = await prepareFiles(PNG, files);
  expect(Object.keys(prepared).toSorted()).toEqual([...Object.values(PREPARED), 'w.safetensors'].toSorted());
  expect(await prepareFiles(PNG, prepared)).toBe(prepared);
  const set = await load(PNG, files);
  expect(set).toMatchObject({ kind: 'image', rows: 3, inputShape: [1, 8, 8], classes: 2, classNames: ['cat', 'dog'] });
  expect([...set.targets]).toEqual([0, 1, 1]);
  expect([0, 64, 128].map((i) => set.inputs[i])).toEqual([30, 10, 20].map((v) => Math.fround(v / 255)));
});

test('a zip: folders at any depth, files that an operating system adds are ignored; gray or colour', async () => {
  const rgb = own(
    encode({
      width: 8,
      height: 8,
      channels: 3,
      data: Uint8Array.from({ length: 192 }, (_, i) => [255, 0, 51][i % 3] ?? 0),
    }),
  );
  const zip = own(
    zipSync({
      'set/0/a.png': flat(0),
      'set/1/b.png': rgb,
      '__MACOSX/set/1/._b.png': Uint8Array.of(1, 2),
      'set/.DS_Store': Uint8Array.of(3),
      'set/readme.txt': Uint8Array.of(65),
    }),
  );
  const gray = await load({ ...PNG, zip: 'my.zip' }, { 'my.zip': zip });
  expect([gray.classNames, gray.inputShape, gray.rows]).toEqual([['0', '1'], [1, 8, 8], 2]);
  expect(gray.inputs[64]).toBeCloseTo(0.299 + 0.114 * 0.2, 6);
  const color = await load({ ...PNG, zip: 'my.zip', color: true }, { 'my.zip': zip });
  expect(color.inputShape).toEqual([3, 8, 8]);
  expect([0, 64, 128].map((plane) => color.inputs[192 + plane])).toEqual([1, 0, Math.fround(0.2)]);
});

test('scaling is the mean of the area, also where pixels are cut', async () => {
  const width = 20;
  const height = 12;
  const data = Uint8Array.from({ length: width * height }, (_, i) => (i * 37) % 256);
  const odd = own(encode({ width, height, channels: 1, data }));
  const set = await load(PNG, { 'a/odd.png': odd, 'b/flat.png': flat(200, 3) });
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) {
      // By sampling: 20 / 8 and 12 / 8 are multiples of a half, so quarters of pixels are exact.
      let sum = 0;
      for (let v = 0; v < 3; v++)
        for (let u = 0; u < 5; u++)
          sum += data[Math.floor(1.5 * y + (v + 0.5) / 2) * width + Math.floor(2.5 * x + (u + 0.5) / 2)] ?? 0;
      expect(set.inputs[y * 8 + x]).toBeCloseTo(sum / 15 / 255, 6);
    }
  }
  for (const value of set.inputs.subarray(64)) expect(value).toBeCloseTo(200 / 255, 6);
});

test.each(fixtures.images.map((image) => [image.name, image] as const))(
  'PNG by Pillow: %s, over white',
  async (_, image) => {
    const png = own(Buffer.from(image.b64, 'base64'));
    const { width, height, rgba } = image;
    const size = 64;
    const set = await load({ ...PNG, size, color: true }, { 'a/x.png': png, 'b/y.png': flat(0) });
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [r = 0, g = 0, b = 0, a = 0] = rgba[y * width + x] ?? [];
        // A new pixel completely inside an old one.
        const row = Math.ceil((y * size) / height);
        const column = Math.ceil((x * size) / width);
        for (const [c, value] of [r, g, b].entries()) {
          const expected = 1 - a / 255 + (a / 255) * (value / 255);
          expect(set.inputs[c * size * size + row * size + column], `${x}, ${y}`).toBeCloseTo(expected, 5);
        }
      }
    }
  },
);

const good = flat(5);
const broken = own(good).fill(0xff, 45, 50);
const huge = own(good);
new DataView(huge.buffer).setUint32(16, 4_000_000);
const interlaced = own(Buffer.from(fixtures.images.find(({ name }) => name === 'gray, 1 bit')?.b64 ?? '', 'base64'));
interlaced[28] = 1;
test.each([
  ['cut off', good.slice(0, -20), 'a/x.png, byte 33: found the end of the file, expected a whole chunk of PNG.'],
  ['damaged', broken, 'a/x.png: found a broken PNG ('],
  [
    'another kind of file',
    new TextEncoder().encode('<html>'),
    'a/x.png, byte 0: found another kind of file, expected a PNG image.',
  ],
  ['huge', huge, 'a/x.png, byte 16: found an image of 4000000 x 8'],
  ['interlaced bits', interlaced, 'a/x.png, byte 28: found an interlaced image of 1 bits'],
])('PNG refused: %s', async (_, bytes, message) => {
  await expect(load(PNG, { 'a/x.png': bytes, 'b/y.png': good })).rejects.toMatchObject({
    code: 'data',
    message: expect.stringContaining(message),
  });
});

const zipOf = (entries: Record<string, Uint8Array>): Bytes => own(zipSync(entries));
test.each([
  ['no zip', new TextEncoder().encode('hello'), 'my.zip, byte 0: found another kind of file, expected a zip archive.'],
  ['cut off', zipOf({ 'a/x.png': good }).slice(0, -30), 'my.zip: found a zip archive that does not unpack ('],
  ['no PNG', zipOf({ 'a/x.txt': good }), "my.zip: found no PNG image, expected PNG images as 'class/name.png'."],
  ['a JPEG', zipOf({ 'a/x.png': good, 'b/y.jpg': good }), 'my.zip: b/y.jpg: found an image of another kind'],
  ['no folder', zipOf({ 'a/x.png': good, 'y.png': good }), 'my.zip: y.png: found a PNG image that is in no folder'],
  [
    'one class',
    zipOf({ 'a/x.png': good, 'a/y.png': good }),
    'my.zip: found 2 PNG images of one class, "a", expected one folder for each',
  ],
  ['a broken image', zipOf({ 'a/x.png': good, 'b/y.png': broken }), 'my.zip: b/y.png: found a broken PNG'],
])('zip refused: %s', async (_, bytes, message) => {
  await expect(load({ ...PNG, zip: 'my.zip' }, { 'my.zip': bytes })).rejects.toMatchObject({
    code: 'data',
    message: expect.stringContaining(message),
  });
});

test('no PNG at all; too many images; files that need no preparation are returned unchanged', async () => {
  await expect(load(PNG, { 'x.csv': good })).rejects.toThrow('No PNG image is given.');
  await expect(load({ ...PNG, zip: 'my.zip' }, {})).rejects.toThrow('my.zip: found no such file');
  const files = { 'x.csv': good };
  expect(await prepareFiles({ type: 'circle', samples: 5, noise: 0, testFraction: 0 }, files)).toBe(files);
});

test('blank images: refused by the sizes in their headers, before an image is decoded', async () => {
  const blank = (width: number): Uint8Array => {
    const png = own(encode({ width: 8, height: 8, channels: 1, depth: 8, data: new Uint8Array(64) }));
    new DataView(png.buffer).setUint32(16, width);
    return png;
  };
  const zip = own(
    zipSync(Object.fromEntries(Array.from({ length: 60 }, (_, k) => [`${k % 2}/${k}.png`, blank(2 ** 19)]))),
  );
  expect(zip.length).toBeLessThan(20_000);
  // Decoding the first image would report that it is broken.
  await expect(prepareFiles({ ...PNG, zip: 'my.zip' }, { 'my.zip': zip })).rejects.toThrow(
    /^my\.zip: found images of 240 megapixels in [\d,]+ bytes, expected at most 6\d in files of this size\.$/,
  );
});
