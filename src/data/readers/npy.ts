/**
 * NumPy's `.npy` files, versions 1 to 3, little-endian and in C order: float32, float64 (rounded), int32, int64
 * (range-checked), uint8 and bool. Errors name the byte. The writer makes version 1.0 files of float32 or int32.
 */
import { firstFew } from '../../base/brief';
import { lookup } from '../../base/lookup';
import { dataError, quoted } from '../data-error';

export interface NpyArray {
  readonly shape: readonly number[];
  /** numpy's descr, e.g. '<f4'. */
  readonly descr: string;
  /** Floats become float32, integers and bools int32. */
  readonly data: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
}

interface Format {
  readonly bytes: number;
  read(view: DataView, byte: number): number | bigint;
  readonly integer: boolean;
}
const FORMATS: Readonly<Record<string, Format>> = {
  '<f4': { bytes: 4, integer: false, read: (view, byte) => view.getFloat32(byte, true) },
  '<f8': { bytes: 8, integer: false, read: (view, byte) => view.getFloat64(byte, true) },
  '<i4': { bytes: 4, integer: true, read: (view, byte) => view.getInt32(byte, true) },
  '<i8': { bytes: 8, integer: true, read: (view, byte) => view.getBigInt64(byte, true) },
  '|u1': { bytes: 1, integer: true, read: (view, byte) => view.getUint8(byte) },
  '|b1': { bytes: 1, integer: true, read: (view, byte) => view.getUint8(byte) },
};

/** The most dimensions, as in numpy. */
const MOST_DIMENSIONS = 32;

export function readNpy(file: string, bytes: Uint8Array<ArrayBuffer>): NpyArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { header, start } = readHeader(file, bytes, view);
  const { descr, shape } = parseHeader(file, header);
  const format = lookup(FORMATS, descr);
  if (format === undefined) {
    throw dataError(
      { file, byte: 10 },
      `dtype ${quoted(descr)}`,
      Object.keys(FORMATS).join(', '),
      'Save it with array.astype(np.float32) or np.int64.',
    );
  }
  const n = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(n * format.bytes) || shape.length > MOST_DIMENSIONS) {
    throw dataError(
      { file, byte: 10 },
      `shape (${firstFew(shape.map(String))})`,
      `at most ${MOST_DIMENSIONS} dimensions, and no more numbers than a file can hold`,
      'The header is damaged; save the array again.',
    );
  }
  const room = bytes.length - start;
  if (room !== n * format.bytes) {
    throw dataError(
      { file, byte: start },
      `${room} bytes of data`,
      `${n * format.bytes} for shape (${shape.join(', ')}) of ${descr}`,
      'The file is cut off or damaged; save it again.',
    );
  }
  const data = format.integer ? new Int32Array(n) : new Float32Array(n);
  for (let i = 0; i < n; i++) {
    const byte = start + i * format.bytes;
    const value = Number(format.read(view, byte));
    data[i] = value;
    // Refuses values that are not numbers, and numbers that rounding has changed (-0 === 0).
    if (!Number.isFinite(value)) {
      throw dataError(
        { file, byte },
        `${value} at ${cellName(i, shape)}`,
        'a finite number',
        'Remove the row or fill in a value, for example with np.nan_to_num.',
      );
    }
    if (format.integer ? data[i] !== value : !Number.isFinite(data[i])) {
      throw dataError(
        { file, byte },
        `${value} at ${cellName(i, shape)}`,
        format.integer ? 'a number of 32 bits' : 'a number that float32 can hold',
        'Rescale the values.',
      );
    }
  }
  return { shape, descr, data };
}

/** '[3, 1]': numpy's index of the i-th number in an array of this shape. */
function cellName(i: number, shape: readonly number[]): string {
  let rest = i;
  const index = shape.toReversed().map((size) => {
    const at = rest % size;
    rest = Math.floor(rest / size);
    return at;
  });
  return `[${index.toReversed().join(', ')}]`;
}

function readHeader(file: string, bytes: Uint8Array, view: DataView): { header: string; start: number } {
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY
  if (bytes.length < 10 || magic.some((byte, i) => bytes[i] !== byte)) {
    throw dataError({ file, byte: 0 }, 'another kind of file', 'the six bytes \\x93NUMPY', 'Save it with numpy.save.');
  }
  const version = view.getUint8(6);
  if (version < 1 || version > 3)
    throw dataError({ file, byte: 6 }, `version ${version}`, '1, 2 or 3', 'Save it with a current numpy.');
  const lengthBytes = version === 1 ? 2 : 4;
  const start =
    8 +
    lengthBytes +
    (lengthBytes === 2
      ? view.getUint16(8, true)
      : bytes.length < 12
        ? Number.POSITIVE_INFINITY
        : view.getUint32(8, true));
  if (start > bytes.length)
    throw dataError(
      { file, byte: 8 },
      `a header that ends at byte ${start}`,
      `at most ${bytes.length}`,
      'The file is cut off; save it again.',
    );
  return { header: new TextDecoder('latin1').decode(bytes.subarray(8 + lengthBytes, start)), start };
}

/** The header is a Python dictionary literal with three known keys. */
function parseHeader(file: string, header: string): { descr: string; shape: number[] } {
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const sizes = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(header)?.[1];
  if (descr === undefined || fortran === undefined || sizes === undefined) {
    throw dataError(
      { file, byte: 10 },
      quoted(header.trim()),
      "a header with 'descr', 'fortran_order' and 'shape'",
      'Save a plain array, without fields, with numpy.save.',
    );
  }
  const shape = sizes
    .split(',')
    .map((size) => size.trim())
    .filter((size) => size !== '')
    .map(Number);
  if (fortran === 'True' && shape.length > 1) {
    throw dataError({ file, byte: 10 }, 'Fortran order', 'C order', 'Save numpy.ascontiguousarray(array).');
  }
  return { descr, shape };
}

export function writeNpy(data: Float32Array | Int32Array, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const sizes = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  const dictionary = `{'descr': '${data instanceof Float32Array ? '<f4' : '<i4'}', 'fortran_order': False, 'shape': ${sizes}, }`;
  const start = Math.ceil((10 + dictionary.length + 1) / 64) * 64; // numpy aligns the data to 64 bytes
  const bytes = new Uint8Array(start + data.byteLength);
  const view = new DataView(bytes.buffer);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  view.setUint16(8, start - 10, true);
  bytes.set(new TextEncoder().encode(`${dictionary.padEnd(start - 11)}\n`), 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start);
  return bytes;
}
