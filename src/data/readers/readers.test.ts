/** The two file readers alone: valid CSV and .npy files, and refusals with their places. */
import { expect, test } from 'vitest';
import { readCsv } from './csv';
import { readNpy, writeNpy } from './npy';

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const cells = (text: string): string[][] => readCsv('t.csv', utf8(text)).rows.map((row) => [...row.cells]);

test.each([
  [
    'plain',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'no newline at the end',
    '1,2\n3,4',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [
    'CRLF',
    '1,2\r\n3,4\r\n',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [
    'CR',
    '1,2\r3,4\r',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['a byte order mark', '\ufeff1,2\n', [['1', '2']]],
  ['semicolons with decimal commas', '1,5;2,5\n', [['1,5', '2,5']]],
  [
    'tabs',
    'a b\tc;d\n1\t2\n',
    [
      ['a b', 'c;d'],
      ['1', '2'],
    ],
  ],
  [
    'quotes',
    '"a;b","say ""hi""",""\n1,2,3\n',
    [
      ['a;b', 'say "hi"', ''],
      ['1', '2', '3'],
    ],
  ],
  [
    'empty cells',
    ',\n1,\n',
    [
      ['', ''],
      ['1', ''],
    ],
  ],
  [
    'blank lines',
    '\n1,2\n\n  \n3,4\n\n',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
])('CSV: %s', (_, text, expected) => {
  expect(cells(text)).toEqual(expected);
});

test('CSV: rows have their line number, also after blank lines and cells over several lines', () => {
  const table = readCsv('t.csv', utf8('a,b\n"x\r\ny",2\n\n3,4\n'));
  expect(table.rows.map((row) => row.line)).toEqual([1, 2, 5]);
});

test.each([
  ['ragged', 'a,b\n1,2\n1,2,3\n', 't.csv, line 3: found 3 columns, expected 2, as in line 1.'],
  ['short', '1,2\n3\n', 't.csv, line 2: found 1 column, expected 2, as in line 1.'],
  ['open quote', '1,2\n3,"4\n', 't.csv, line 2, column 2: found a quote that is never closed'],
  ['text after a quote', '1,2\n"3"x,4\n', 't.csv, line 2, column 1: found "x" after a closing quote'],
  ['quote inside', '1,2\n3x"y",4\n', 't.csv, line 2, column 1: found a quote inside a bare cell'],
])('CSV refused: %s', (_, text, message) => {
  expect(() => cells(text)).toThrow(message);
});

test.each([
  ['a byte that is never in UTF-8', [0x61, 0xff, 0xfe], 1, 'ff'],
  ['a sequence broken off by a letter', [0xc3, 0xa4, 0xe2, 0x82, 0x61], 2, 'e2'],
  ['a sequence cut at the end', [0x61, 0xf0, 0x9f, 0x98], 1, 'f0'],
  ['a continuation after a whole character', [0xc3, 0xa4, 0x80], 2, '80'],
])('CSV refused: %s, with its byte', (_, bytes, byte, value) => {
  expect(() => readCsv('t.csv', Uint8Array.from(bytes))).toThrow(
    `t.csv, byte ${byte}: found bytes that are not UTF-8 (0x${value}), expected UTF-8 text.`,
  );
});

/** A .npy file with any header and data, in numpy's layout. */
function npy(descr: string, shape: string, data: ArrayBuffer, fortran = 'False'): Uint8Array<ArrayBuffer> {
  const header = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
  const bytes = new Uint8Array(10 + header.length + data.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length]);
  bytes.set(utf8(header), 10);
  bytes.set(new Uint8Array(data), 10 + header.length);
  return bytes;
}

test('npy: a written file is read back unchanged', () => {
  const floats = writeNpy(new Float32Array([1.5, -0, -2.5, 3, 4, 5]), [2, 3]);
  expect(floats.length).toBe(128 + 24);
  expect(readNpy('x.npy', floats)).toEqual({
    shape: [2, 3],
    descr: '<f4',
    data: new Float32Array([1.5, -0, -2.5, 3, 4, 5]),
  });
  expect(readNpy('y.npy', writeNpy(new Int32Array([7, -8]), [2]))).toEqual({
    shape: [2],
    descr: '<i4',
    data: new Int32Array([7, -8]),
  });
});

test.each([
  ['<f8', new Float64Array([0.1, -2]).buffer, new Float32Array([0.1, -2])],
  ['<i8', new BigInt64Array([3n, -4n]).buffer, new Int32Array([3, -4])],
  ['|u1', new Uint8Array([0, 255]).buffer, new Int32Array([0, 255])],
  ['|b1', new Uint8Array([0, 1]).buffer, new Int32Array([0, 1])],
])('npy: dtype %s', (descr, buffer, data) => {
  expect(readNpy('x.npy', npy(descr, '(2,)', buffer))).toEqual({ shape: [2], descr, data });
});

test('npy: versions 2 and 3 have a longer header length', () => {
  const one = npy('<f4', '(1,)', new Float32Array([9]).buffer);
  const header = one.subarray(10);
  const two = new Uint8Array(12 + header.length);
  two.set(one.subarray(0, 6));
  two.set([2, 0, one[8] ?? 0, 0, 0, 0], 6);
  two.set(header, 12);
  expect(readNpy('x.npy', two).data).toEqual(new Float32Array([9]));
});

test.each([
  ['another file', utf8('hello, world'), 'x.npy, byte 0: found another kind of file'],
  ['cut off', npy('<f4', '(3,)', new ArrayBuffer(8)), 'found 8 bytes of data, expected 12 for shape (3) of <f4'],
  ['too long', npy('<f4', '(1,)', new ArrayBuffer(8)), 'found 8 bytes of data, expected 4'],
  [
    'not a number',
    npy('<f4', '(2, 3)', new Float32Array([0, 1, 2, 3, Number.NaN, 5]).buffer),
    'found NaN at [1, 1], expected a finite number',
  ],
  [
    'infinite',
    npy('<f8', '(2,)', new Float64Array([0, Number.NEGATIVE_INFINITY]).buffer),
    'found -Infinity at [1], expected a finite number',
  ],
  [
    'more numbers than there can be',
    npy('<f4', '(4294967296, 4294967296)', new ArrayBuffer(4)),
    'found shape (4294967296, 4294967296), expected at most 32 dimensions, and no more numbers',
  ],
  ['big-endian', npy('>f4', '(1,)', new ArrayBuffer(4)), 'found dtype ">f4", expected <f4'],
  ['Fortran order', npy('<f4', '(1, 1)', new ArrayBuffer(4), 'True'), 'found Fortran order, expected C order'],
  [
    'a wide integer',
    npy('<i8', '(1,)', new BigInt64Array([1n << 40n]).buffer),
    'found 1099511627776 at [0], expected a number of 32 bits',
  ],
  [
    'a wide float',
    npy('<f8', '(1,)', new Float64Array([1e300]).buffer),
    'found 1e+300 at [0], expected a number that float32 can hold',
  ],
  ['no shape', npy('<f4', 'None', new ArrayBuffer(4)), "expected a header with 'descr', 'fortran_order' and 'shape'"],
  [
    'a header past the end',
    npy('<f4', '(1,)', new ArrayBuffer(4)).subarray(0, 20),
    'x.npy, byte 8: found a header that ends at byte',
  ],
])('npy refused: %s', (_, bytes, message) => {
  expect(() => readNpy('x.npy', Uint8Array.from(bytes))).toThrow(message);
});
