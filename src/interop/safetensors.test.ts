/** The format to the byte, a round trip, and each way in which a file can be damaged. */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { readSafetensors, writeSafetensors } from './safetensors';

const file = 'weights.safetensors';
const tensors = [
  { name: 'module.0.weight', shape: [2, 3], data: new Float32Array([1, -2, 3.5, 0, Number.MIN_VALUE, 1e30]) },
  { name: 'module.0.bias', shape: [2], data: new Float32Array([0.1, -0.1]) },
  { name: 'scale', shape: [], data: new Float32Array([7]) },
];

function made(header: unknown, data: number): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

test('a written file is read back bit for bit; the prefix of DDP is removed on request', () => {
  const bytes = writeSafetensors(tensors, { format: 'pt' });
  expect(readSafetensors(file, bytes)).toEqual(tensors);
  expect(readSafetensors(file, bytes, { stripModule: true }).map((t) => t.name)).toEqual([
    '0.weight',
    '0.bias',
    'scale',
  ]);
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  expect((8 + length) % 8).toBe(0);
  expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
    __metadata__: { format: 'pt' },
    'module.0.weight': { dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] },
    'module.0.bias': { dtype: 'F32', shape: [2], data_offsets: [24, 32] },
    scale: { dtype: 'F32', shape: [], data_offsets: [32, 36] },
  });
});

test('the whole numbers of buffers keep their type', () => {
  const buffers = [
    { name: 'norm.num_batches_tracked', shape: [], data: BigInt64Array.of(3_000_000_000n) },
    { name: 'ids', shape: [2], data: Int32Array.of(-1, 7) },
    { name: 'rng_state', shape: [3], data: Uint8Array.of(1, 2, 255) },
  ];
  expect(readSafetensors(file, writeSafetensors(buffers))).toEqual(buffers);
  expect(new TextDecoder().decode(writeSafetensors(buffers))).toContain('{"dtype":"I64","shape":[],');
});

test('a header of odd length: tensors need not be aligned', () => {
  const bytes = made('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 4);
  new DataView(bytes.buffer).setFloat32(bytes.length - 4, 2.5, true);
  expect((bytes.length - 4) % 4).not.toBe(0);
  expect(readSafetensors(file, bytes)[0]?.data).toEqual(new Float32Array([2.5]));
});

const entry = (shape: unknown, offsets: unknown, dtype: unknown = 'F32') => ({ dtype, shape, data_offsets: offsets });
test.each([
  ['too short', new Uint8Array(5), 'byte 5: the file ends here'],
  [
    'header past the end',
    made({}, 0).fill(0xff, 0, 8),
    'byte 0: the header claims to be 18446744073709551615 bytes long',
  ],
  ['no JSON', made('{"a":', 0), 'byte 8: the header is not a JSON object'],
  ['a list', made('[]', 0), 'byte 8: the header is not a JSON object'],
  ['nested too deep', made(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`, 0), 'the header cannot be read: its lists'],
  ['no shape', made({ a: entry(undefined, [0, 4]) }, 4), 'byte 8: the entry of tensor "a" lacks'],
  ['half precision', made({ a: entry([2], [0, 4], 'F16') }, 4), 'tensor "a" is F16, expected F32'],
  [
    'cut off',
    made({ a: entry([4], [0, 16]) }, 12),
    'tensor "a" takes the bytes 0 to 16, but the file has only 12 bytes of data',
  ],
  ['wrong size', made({ a: entry([3], [0, 16]) }, 16), 'of shape [3] needs 12 bytes, but has 16'],
  [
    'overlap',
    made({ a: entry([2], [0, 8]), b: entry([1], [4, 8]) }, 8),
    'tensor "b" begins at byte 4 of the data, expected 8',
  ],
  ['hole', made({ a: entry([1], [4, 8]) }, 8), 'tensor "a" begins at byte 4 of the data, expected 0'],
  ['more than tensors', made({ a: entry([1], [0, 4]) }, 8), '4 bytes follow the last tensor'],
])('refused: %s', (_, bytes, message) => {
  expect(() => readSafetensors(file, bytes)).toThrow(LockstepError);
  expect(() => readSafetensors(file, bytes)).toThrow(message);
  expect(() => readSafetensors(file, bytes)).toThrow(/^weights\.safetensors, byte \d+/);
});

test('the same name with and without the prefix is refused when the prefix goes', () => {
  const bytes = writeSafetensors([
    { name: 'w', shape: [1], data: new Float32Array(1) },
    { name: 'module.w', shape: [1], data: new Float32Array(1) },
  ]);
  expect(readSafetensors(file, bytes).length).toBe(2);
  expect(() => readSafetensors(file, bytes, { stripModule: true })).toThrow('tensor "w" is in the file twice');
});
