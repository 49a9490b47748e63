/** Decodes text files: UTF-8 without a byte order mark, or an error that names the first invalid byte. */
import { dataError } from '../data-error';

/** `expected` and `hint` describe the expected file in the error. */
export function decodeUtf8(file: string, bytes: Uint8Array, expected: string, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const byte = firstInvalid(bytes);
    const value = (bytes[byte] ?? 0).toString(16).padStart(2, '0');
    throw dataError({ file, byte }, `bytes that are not UTF-8 (0x${value})`, expected, hint);
  }
}

/** Finds the longest valid prefix by binary search; a sequence cut off at the end of a prefix still counts as valid. */
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
  // `good` bytes are valid, the next one is not; if it breaks a sequence, the error is at the sequence's start.
  let start = good;
  while (start > 0 && good - start < 3 && ((bytes[start - 1] ?? 0) & 0xc0) === 0x80) start--;
  return start > 0 && (bytes[start - 1] ?? 0) >= 0xc0 && isCut(bytes, start - 1, good) ? start - 1 : good;
}

/** Whether the sequence that begins at `start` needs bytes beyond `end`. */
function isCut(bytes: Uint8Array, start: number, end: number): boolean {
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return start + length > end;
}
