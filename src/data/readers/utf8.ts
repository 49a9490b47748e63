/** Text files: UTF-8 without a byte order mark, or an error that names the first byte that is none. */
import { dataError } from '../data-error';

/** `expected` and `hint` are for the error: what the file should be. */
export function decodeUtf8(file: string, bytes: Uint8Array, expected: string, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const byte = firstInvalid(bytes);
    const value = (bytes[byte] ?? 0).toString(16).padStart(2, '0');
    throw dataError({ file, byte }, `bytes that are not UTF-8 (0x${value})`, expected, hint);
  }
}

/**
 * The longest prefix that decodes, by halving: a sequence that is merely cut off at the end of a prefix does not count
 * against it.
 */
function firstInvalid(bytes: Uint8Array): number {
  const decodes = (end: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  // `good` bytes pass, the next one does not fit; where it breaks a sequence begun before, that sequence is what is
  // wrong.
  let start = good;
  while (start > 0 && good - start < 3 && ((bytes[start - 1] ?? 0) & 0xc0) === 0x80) start--;
  return start > 0 && (bytes[start - 1] ?? 0) >= 0xc0 && isCut(bytes, start - 1, good) ? start - 1 : good;
}

/** Whether the sequence that begins at `start` wants more bytes than are before `end`. */
function isCut(bytes: Uint8Array, start: number, end: number): boolean {
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return start + length > end;
}
