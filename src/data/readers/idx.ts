/**
 * IDX files, the format of MNIST: two zero bytes, a type (8: unsigned bytes, the only one read here), the number of
 * dimensions, their sizes as big-endian 32-bit numbers, the data. The bytes are already unpacked by `prepare-files.ts`.
 * Errors name the byte.
 */
import { dataError } from '../data-error';

export interface IdxArray {
  readonly shape: readonly number[];
  readonly data: Uint8Array<ArrayBuffer>;
}

const UNSIGNED_BYTES = 8;
const OTHER_TYPES: Readonly<Record<number, string>> = {
  9: 'signed bytes',
  11: '16-bit integers',
  12: '32-bit integers',
  13: 'float32',
  14: 'float64',
};
const AGAIN = 'The file is cut off or damaged; fetch or save it again.';

/** `dimensions` and `meaning` ('images', 'labels') are what the caller expects. */
export function readIdx(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  dimensions: number,
  meaning: 'images' | 'labels',
): IdxArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wanted = `an IDX file of ${meaning}, beginning 00 00 08 ${hex(dimensions)}`;
  if (bytes.length < 4 || view.getUint16(0) !== 0) {
    const found = [...bytes.subarray(0, 4)].map(hex).join(' ');
    throw dataError({ file, byte: 0 }, `the bytes ${found}`, wanted, "Choose MNIST's files, or ones of that format.");
  }
  const type = view.getUint8(2);
  if (type !== UNSIGNED_BYTES) {
    const name = OTHER_TYPES[type] === undefined ? '' : ` (${OTHER_TYPES[type]})`;
    throw dataError(
      { file, byte: 2 },
      `type ${hex(type)}${name}`,
      'type 08 (unsigned bytes)',
      'Save the values as bytes from 0 to 255.',
    );
  }
  if (view.getUint8(3) !== dimensions) {
    const other = view.getUint8(3);
    const swapped = (meaning === 'images') === (other === 1) && (other === 1 || other === 3);
    throw dataError(
      { file, byte: 3 },
      `${other} ${other === 1 ? 'dimension' : 'dimensions'}`,
      `${dimensions}, as ${meaning} have`,
      swapped
        ? 'Images and labels seem to be swapped.'
        : 'Images have 3 dimensions (count, height, width), labels one.',
    );
  }
  const start = 4 + 4 * dimensions;
  if (bytes.length < start)
    throw dataError({ file, byte: bytes.length }, 'the end of the file', `a header of ${start} bytes`, AGAIN);
  const shape = Array.from({ length: dimensions }, (_, i) => view.getUint32(4 + 4 * i));
  const size = shape.reduce((n, d) => n * d, 1);
  if (bytes.length - start !== size) {
    throw dataError(
      { file, byte: start },
      `${bytes.length - start} bytes of data`,
      `${size} for ${shape.join(' x ')}`,
      AGAIN,
    );
  }
  return { shape, data: bytes.subarray(start) };
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
