/**
 * Reads zip archives: the names in their directory, and files up to a limit that does not depend on the sizes that the
 * archive declares. No encryption, no split archives, no zip64. The page reads the names to recognise an archive;
 * prepare-images.ts and checkpoints read the files.
 */
import { brief } from '../../base/brief';
import { unpackedAtMost } from '../../base/reading-bounds';
import { dataError } from '../data-error';
import { mebibytes } from '../limits';
import { type Inflater, joined, unpackWithin } from './unpack';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const LONGEST_COMMENT = 65_557;
const STORED = 0;
const DEFLATED = 8;
const AGAIN = 'Pack the files again with zip, without a password.';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly packedBytes: number;
  /** The unpacked size that the archive declares. */
  readonly bytes: number;
  /** The position of the file's local header. */
  readonly start: number;
}

/** The directory of the archive; undefined if it is missing or cut off. */
export function zipEntries(bytes: Uint8Array): readonly ZipEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - LONGEST_COMMENT && view.getUint32(end, true) !== END) end--;
  if (end < 0 || view.getUint32(end, true) !== END) return undefined;
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === ENTRY) {
    const length = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      packedBytes: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries.length === view.getUint16(end + 10, true) ? entries : undefined;
}

/** The files with wanted names, in the order of the archive; together at most `mostOfAny` bytes. */
export function unzip(
  file: string,
  bytes: Uint8Array,
  wants: (name: string) => boolean,
  mostOfAny: number,
  Inflate: Inflater,
): readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[] {
  const most = unpackedAtMost(bytes.length, mostOfAny);
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw dataError({ file, byte: 0 }, 'another kind of file', 'a zip archive', AGAIN);
  const entries = zipEntries(bytes);
  const broken = (reason: string) =>
    dataError(
      { file },
      `a zip archive that does not unpack (${reason})`,
      'a complete archive without a password',
      AGAIN,
    );
  if (!entries) throw broken('its directory is missing or cut off');
  const wanted = entries.filter(({ name }) => wants(name));
  const tooMuch = (size: number) =>
    dataError(
      { file },
      `files that unpack to ${mebibytes(size)}`,
      `at most ${mebibytes(most)}`,
      'Use some of the files.',
    );
  const said = wanted.reduce((sum, entry) => sum + entry.bytes, 0);
  if (said > most) throw tooMuch(said);
  let unpacked = 0;
  return wanted.map((entry) => {
    const content = unpackEntry(bytes, entry, most - unpacked, Inflate, (reason) =>
      broken(`${brief(entry.name)}: ${reason}`),
    );
    if (content === undefined) throw tooMuch(most + 1);
    unpacked += content.length;
    return [entry.name, content] as const;
  });
}

/** Unpacks a file; undefined if it is too large. */
function unpackEntry(
  bytes: Uint8Array,
  { start, method, isEncrypted, packedBytes, bytes: size }: ZipEntry,
  most: number,
  Inflate: Inflater,
  broken: (reason: string) => Error,
): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isEncrypted) throw broken('it is encrypted');
  if (start + 30 > bytes.length || view.getUint32(start, true) !== LOCAL)
    throw broken('it is not at the offset that the directory states');
  const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  if (from + packedBytes > bytes.length) throw broken('it is cut off');
  const packed = bytes.subarray(from, from + packedBytes);
  if (method === STORED) return packed.length > most ? undefined : Uint8Array.from(packed);
  if (method !== DEFLATED) throw broken(`it is packed by method ${method}`);
  const pieces: Uint8Array[] = [];
  // A file longer than its declared size is damaged, so unpacking stops.
  try {
    if (unpackWithin([packed], Math.min(size, most), Inflate, (piece) => pieces.push(piece)).isTooMuch) {
      if (size >= most) return undefined;
    } else if (size === pieces.reduce((sum, { length }) => sum + length, 0)) return joined(pieces);
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error));
  }
  throw broken(`its size is not the ${mebibytes(size)} that the archive states`);
}
