/**
 * The shape in the header of a .npy file, and the number of classes if it contains whole numbers from 0. Undefined if
 * the file is not a .npy file; the session says why.
 */
import { lookup } from '../../base/lookup';

export interface NpyLook {
  readonly shape: readonly number[];
  readonly classes: number | undefined;
}

const INTEGERS: Readonly<Record<string, number>> = { '<i4': 4, '<i8': 8, '|u1': 1, '|b1': 1 };
const MANY_CLASSES = 1000;

export function lookAtNpy(bytes: Uint8Array<ArrayBuffer> | undefined): NpyLook | undefined {
  if (!bytes || bytes.length < 12 || bytes[0] !== 0x93) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = bytes[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
  const header = new TextDecoder('latin1').decode(bytes.subarray(0, Math.min(start, bytes.length)));
  const sizes = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(header)?.[1];
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1];
  if (sizes === undefined || descr === undefined) return undefined;
  const shape = sizes
    .split(',')
    .filter((size) => size.trim() !== '')
    .map(Number);
  // No file can have so many elements: the session says what is wrong.
  if (!Number.isSafeInteger(shape.reduce((n, size) => n * size, 1))) return undefined;
  const width = lookup(INTEGERS, descr);
  return { shape, classes: width === undefined ? undefined : classesOf(view, start, width) };
}

/** Little-endian: the low 32 bits are first. */
function classesOf(view: DataView, start: number, width: number): number | undefined {
  let most = -1;
  for (let at = start; at + width <= view.byteLength; at += width) {
    const value = width === 1 ? view.getUint8(at) : view.getInt32(at, true);
    if (value < 0 || value >= MANY_CLASSES) return undefined;
    most = Math.max(most, value);
  }
  return most < 1 ? undefined : most + 1;
}
