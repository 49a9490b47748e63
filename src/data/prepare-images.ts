/**
 * PNG images by folder, from a zip or as loose files, into pixels, labels and class names under the three names in
 * PREPARED, which `families/read/png.ts` reads. A class is the folder that directly contains the file, so train/cat and
 * test/cat are the same class. Ordered as torchvision's ImageFolder: classes by name, within them files by path.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { loadPart } from '../base/load-part';
import { pixelsAtMost } from '../base/reading-bounds';
import type { DataConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import { dataError, fileBytes } from './data-error';
import { areaAverage } from './drawing/area-average';
import { checkFileSize, checkSize } from './limits';
import { readPng } from './readers/png';
import { pixelsSaid } from './readers/png-chunks';
import { unzip } from './readers/zip';

type PngConfig = Extract<DataConfig, { type: 'png' }>;

/** Names of prepared files, which no user's file can have. */
export const PREPARED = {
  pixels: 'prepared:/pixels',
  labels: 'prepared:/labels',
  classes: 'prepared:/classes',
} as const;

interface Found {
  readonly path: string;
  readonly className: string;
  readonly bytes: Uint8Array;
}

/**
 * The files with the images, which may be large, replaced by the prepared files; already prepared files are unchanged.
 */
export async function prepareImages(config: PngConfig, files: Files, maxFileBytes: number): Promise<Files> {
  if (files[PREPARED.pixels] !== undefined) return files;
  const source = config.zip ?? 'the given files';
  const entries =
    config.zip === undefined ? files : await imagesIn(config.zip, fileBytes(files, config.zip), maxFileBytes);
  const found = pngsByFolder(source, entries, config.zip !== undefined);
  const classNames = [...new Set(found.map(({ className }) => className))].toSorted(byText);
  if (classNames.length < 2) {
    throw dataError(
      { file: source },
      `${found.length} PNG ${found.length === 1 ? 'image' : 'images'} of one class, ${JSON.stringify(at(classNames, 0))}`,
      'one folder for each of two or more classes',
      'Put the images of each class into a folder of its name.',
    );
  }
  const rank = new Map(classNames.map((name, i) => [name, i]));
  const classOf = ({ className }: Found): number => rank.get(className) ?? 0;
  const ordered = found.toSorted((a, b) => classOf(a) - classOf(b) || byText(a.path, b.path));

  const { size, color } = config;
  const area = size * size;
  const channels = color ? 3 : 1;
  checkSize(config.type, ordered.length, channels * area, 'Use fewer or smaller images.');
  checkPixels(config, source, ordered, files);
  const [{ Unzlib }, png] = await loadPart('The reader of PNG files', () =>
    Promise.all([import('fflate'), import('fast-png')]),
  );
  const library = { ...png, Unzlib };
  const pixels = new Float32Array(ordered.length * channels * area);
  for (const [row, { path, bytes }] of ordered.entries()) {
    const name = config.zip === undefined ? path : `${config.zip}: ${path}`;
    const { width, height, planes } = readPng(name, bytes, color, library);
    for (const [c, plane] of planes.entries()) {
      const start = (row * channels + c) * area;
      areaAverage(plane, width, height, pixels.subarray(start, start + area), size);
    }
  }
  const dropped = new Set(config.zip === undefined ? found.map(({ path }) => path) : [config.zip]);
  return {
    ...Object.fromEntries(Object.entries(files).filter(([name]) => !dropped.has(name))),
    [PREPARED.pixels]: new Uint8Array(pixels.buffer),
    [PREPARED.labels]: new Uint8Array(Int32Array.from(ordered, classOf).buffer),
    [PREPARED.classes]: new TextEncoder().encode(JSON.stringify(classNames)),
  };
}

/** The most pixels of all images of a set together, for any size of their files: about a minute's work. */
const MAX_DECODED_PIXELS = 2 ** 30;

/**
 * Checks the sizes in the headers before an image is decoded, because a blank image packs a thousand pixels into a
 * byte.
 */
function checkPixels(config: PngConfig, source: string, images: readonly Found[], files: Files): void {
  const packed =
    config.zip === undefined
      ? images.reduce((sum, { bytes }) => sum + bytes.length, 0)
      : fileBytes(files, config.zip).length;
  const most = pixelsAtMost(packed, MAX_DECODED_PIXELS);
  const pixels = images.reduce((sum, { bytes }) => sum + pixelsSaid(bytes), 0);
  if (pixels <= most) return;
  const megapixels = (count: number): string => Math.floor(count / 2 ** 20).toLocaleString('en');
  throw dataError(
    { file: source },
    `images of ${megapixels(pixels)} megapixels in ${packed.toLocaleString('en')} bytes`,
    `at most ${megapixels(most)} in files of this size`,
    'Use fewer or smaller images.',
  );
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const IMAGE = /\.(png|jpe?g|gif|bmp|webp|tiff?|avif)$/i;
/** Files that operating systems add to archives: `__MACOSX/`, `._name`, `.DS_Store`. */
const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

/** The images of an archive, unpacked. */
async function imagesIn(file: string, bytes: Uint8Array, maxBytes: number): Promise<Files> {
  checkFileSize({ file }, bytes.length, maxBytes);
  const { Inflate } = await loadPart('The reader of zip files', () => import('fflate'));
  return Object.fromEntries(unzip(file, bytes, (name) => IMAGE.test(name) && !HIDDEN.test(name), maxBytes, Inflate));
}

function pngsByFolder(source: string, entries: Readonly<Record<string, Uint8Array>>, packed: boolean): Found[] {
  const images = Object.entries(entries).filter(([path]) => IMAGE.test(path) && !HIDDEN.test(path));
  if (images.length === 0) {
    if (packed)
      throw dataError(
        { file: source },
        'no PNG image',
        "PNG images as 'class/name.png'",
        'Pack folders of PNG images.',
      );
    throw new LockstepError('data', 'No PNG image is given.', 'Drop a zip, or folders of PNG images, on the page.');
  }
  return images.map(([path, bytes]) => {
    const file = packed ? `${source}: ${path}` : path;
    if (!path.toLowerCase().endsWith('.png')) {
      throw dataError(
        { file },
        'an image of another kind',
        'only PNG images',
        'Convert the file to PNG, or remove it.',
      );
    }
    const className = path.replaceAll('\\', '/').split('/').at(-2);
    if (className === undefined || className === '') {
      throw dataError(
        { file },
        'a PNG image that is in no folder',
        "'class/name.png'",
        'Put the images of each class into a folder of its name.',
      );
    }
    return { path, className, bytes };
  });
}
