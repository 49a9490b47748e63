/**
 * Weights in the `.safetensors` format: 8 bytes with the length of a JSON header, the header, then the tensors' bytes.
 * Reads and writes float32, and the whole numbers of buffers. A damaged file is refused with the byte at fault; which
 * tensors a model wants is for the caller to check.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { tooMuchOf } from '../base/reading-bounds';
import { elements, formatShape } from '../tensor/shape';

/** What a tensor's type in the file becomes here. */
const ARRAYS = { F32: Float32Array, I64: BigInt64Array, I32: Int32Array, U8: Uint8Array } as const;
type FileType = keyof typeof ARRAYS;

export type TensorData = Float32Array | BigInt64Array | Int32Array | Uint8Array;

export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface SafetensorsOptions {
  /** Drop `module.` from the names, which DataParallel and DistributedDataParallel put in front of theirs. */
  readonly stripModule?: boolean;
}

const PREFIX = 8;

function refuse(file: string, byte: number, what: string, hint: string): LockstepError {
  return new LockstepError('data', `${file}, byte ${byte}: ${what}`, hint, { file, byte });
}

/** Tensors in the order of the header. */
export function readSafetensors(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: SafetensorsOptions = {},
): NamedTensor[] {
  const { header, start } = readHeader(file, bytes);
  const size = bytes.length - start;
  const spans: [begin: number, end: number, name: string][] = [];
  const tensors: NamedTensor[] = [];
  const names = new Set<string>();
  for (const [key, entry] of Object.entries(header)) {
    if (key === '__metadata__') continue;
    const { type, shape, begin, end } = checkEntry(file, key, entry, size, start);
    spans.push([begin, end, key]);
    const name = options.stripModule === true ? key.replace(/^module\./, '') : key;
    if (names.has(name)) {
      throw refuse(
        file,
        PREFIX,
        `tensor "${brief(name)}" is in the file twice`,
        'Keep it with or without "module.", not both.',
      );
    }
    names.add(name);
    // A copy, because a tensor may begin at any byte and a Float32Array may not.
    tensors.push({ name, shape, data: new ARRAYS[type](bytes.slice(start + begin, start + end).buffer) });
  }
  checkSpans(file, spans, size, start);
  return tensors;
}

/** What is under `__metadata__`: texts by name; {} where the file has none. */
export function readMetadata(file: string, bytes: Uint8Array<ArrayBuffer>): Readonly<Record<string, string>> {
  const { __metadata__: found = {} } = readHeader(file, bytes).header as Readonly<Record<string, unknown>>;
  const texts = typeof found === 'object' && found !== null ? Object.entries(found) : [];
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Byte of the file at which the tensor of that name begins. */
export function tensorByte(file: string, bytes: Uint8Array<ArrayBuffer>, name: string): number {
  const { header, start } = readHeader(file, bytes);
  return (
    start +
    checkEntry(file, name, Object.entries(header).find(([key]) => key === name)?.[1], bytes.length - start, start).begin
  );
}

function readHeader(file: string, bytes: Uint8Array<ArrayBuffer>): { header: object; start: number } {
  const again = 'Save the weights again with safetensors.torch.save_file.';
  if (bytes.length < PREFIX)
    throw refuse(file, bytes.length, `the file ends here, expected ${PREFIX} bytes of header length`, again);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(bytes.length - PREFIX)) {
    throw refuse(
      file,
      0,
      `the header claims to be ${length} bytes long, but only ${bytes.length - PREFIX} bytes follow`,
      again,
    );
  }
  const start = PREFIX + Number(length);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(PREFIX, start)));
  } catch {
    // Reported below, with the place.
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw refuse(file, PREFIX, 'the header is not a JSON object', again);
  const tooMuch = tooMuchOf(header, start);
  if (tooMuch !== undefined) throw refuse(file, PREFIX, `the header cannot be read: ${tooMuch}`, again);
  return { header, start };
}

function checkEntry(
  file: string,
  name: string,
  entry: unknown,
  size: number,
  start: number,
): { type: FileType; shape: number[]; begin: number; end: number } {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !isSizes(shape) || !isSizes(offsets) || offsets.length !== 2) {
    throw refuse(
      file,
      PREFIX,
      `the entry of tensor "${brief(name)}" lacks dtype, shape or data_offsets`,
      'Save the weights again.',
    );
  }
  if (!isFileType(dtype)) {
    throw refuse(
      file,
      PREFIX,
      `tensor "${brief(name)}" is ${brief(dtype)}, expected F32`,
      'Save float32 weights: tensor.float().',
    );
  }
  const [begin = 0, end = 0] = offsets;
  if (begin > end || end > size) {
    throw refuse(
      file,
      start + begin,
      `tensor "${brief(name)}" takes the bytes ${begin} to ${end}, but the file has only ${size} bytes of data`,
      'The file is cut off or damaged.',
    );
  }
  const elementBytes = ARRAYS[dtype].BYTES_PER_ELEMENT;
  if (end - begin !== elements(shape) * elementBytes) {
    throw refuse(
      file,
      start + begin,
      `tensor "${brief(name)}" of shape ${brief(formatShape(shape))} needs ${elements(shape) * elementBytes} bytes, but has ${end - begin}`,
      'The file is damaged.',
    );
  }
  return { type: dtype, shape, begin, end };
}

const isFileType = (dtype: string): dtype is FileType => Object.hasOwn(ARRAYS, dtype);

function fileType(data: TensorData): FileType {
  if (data instanceof Float32Array) return 'F32';
  if (data instanceof BigInt64Array) return 'I64';
  return data instanceof Int32Array ? 'I32' : 'U8';
}

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);

/** The format allows neither holes nor overlaps. */
function checkSpans(file: string, spans: [number, number, string][], size: number, start: number): void {
  let expected = 0;
  for (const [begin, end, name] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (begin !== expected) {
      throw refuse(
        file,
        start + begin,
        `tensor "${brief(name)}" begins at byte ${begin} of the data, expected ${expected}: tensors must not overlap or leave gaps`,
        'The file is damaged.',
      );
    }
    expected = end;
  }
  if (expected !== size)
    throw refuse(file, start + expected, `${size - expected} bytes follow the last tensor`, 'The file is damaged.');
}

export function writeSafetensors(
  tensors: readonly NamedTensor[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const entries = tensors.map(({ name, shape, data }) => {
    const begin = offset;
    offset += data.byteLength;
    return [name, { dtype: fileType(data), shape, data_offsets: [begin, offset] }] as const;
  });
  const meta = Object.keys(metadata).length === 0 ? {} : { __metadata__: metadata };
  const json = new TextEncoder().encode(JSON.stringify({ ...meta, ...Object.fromEntries(entries) }));
  const start = Math.ceil((PREFIX + json.length) / 8) * 8; // aligned to 8 bytes, filled with spaces
  const bytes = new Uint8Array(start + offset).fill(0x20, PREFIX, start);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - PREFIX), true);
  bytes.set(json, PREFIX);
  let at = start;
  for (const { data } of tensors) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}
