/**
 * A file of a recording as a stream of bytes; gzip is unpacked, up to a limit. The page's File already fits this
 * interface; the command line makes one from a path. Called by `import-files.ts`.
 */
import { Gunzip } from 'fflate';
import { LockstepError } from '../base/errors';
import { unpackedAtMost } from '../base/reading-bounds';

export interface RecordingFile {
  /** The path or name, from which a rank may be read. */
  readonly name: string;
  readonly size: number;
  stream(): ReadableStream<Uint8Array>;
}

export interface RecordingOptions {
  /** Called with the bytes read so far and in total: of all files together, as stored on disk. */
  readonly onProgress?: (bytes: number, of: number) => void;
  readonly signal?: AbortSignal;
  /** The limit for one unpacked file; 2 GiB if absent. */
  readonly mostTextBytes?: number;
}

export const MOST_TEXT_BYTES = 2 * 1024 ** 3;
const HEAD_BYTES = 16;
/** A byte of gzip unpacks to at most 1032, so a slice gives at most 16 MiB at once. */
const SLICE_BYTES = 16 * 1024;

/** How the stream of a file ended. */
export interface StreamEnd {
  readonly bytes: number;
  readonly textBytes: number;
  readonly isPacked: boolean;
  /** Why the stream ended early, as the end of a sentence: "its gzip data is cut off". */
  readonly cut?: string;
}

/** Passes the unpacked bytes to `take` until it returns false. Throws if the file can't be read, and on an abort. */
export async function readBytes(
  file: RecordingFile,
  take: (piece: Uint8Array) => boolean,
  {
    signal,
    mostTextBytes: mostOfAny = MOST_TEXT_BYTES,
    onBytes,
  }: RecordingOptions & { onBytes?: (bytes: number) => void },
): Promise<StreamEnd> {
  const mostTextBytes = unpackedAtMost(file.size, mostOfAny);
  let [bytes, textBytes, wanted] = [0, 0, true];
  let gunzip: Gunzip | undefined;
  let cut: string | undefined;
  const give = (piece: Uint8Array): void => {
    if (!wanted || piece.length === 0) return;
    if (textBytes + piece.length > mostTextBytes) {
      cut = `it is longer than ${mebibytes(mostTextBytes)} unpacked (${mebibytes(file.size)} on the disk), and Lockstep did not read the rest`;
      wanted = take(piece.subarray(0, mostTextBytes - textBytes)) && false;
      textBytes = mostTextBytes;
      return;
    }
    textBytes += piece.length;
    wanted = take(piece);
  };
  const reader = file.stream().getReader();
  try {
    let head: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
    let isBegun = false;
    while (wanted) {
      if (signal?.aborted) throw new LockstepError('aborted', `Reading ${file.name} was stopped.`);
      const { done, value } = await reader.read();
      let chunk = value ?? new Uint8Array(0);
      bytes += chunk.length;
      onBytes?.(chunk.length);
      if (!isBegun) {
        // A stream may deliver single bytes, but the readers recognise a file by its first ones.
        chunk = head.length === 0 ? chunk : joined(head, chunk);
        head = chunk;
        if (chunk.length < HEAD_BYTES && !done) continue;
        isBegun = true;
        if (chunk[0] === 0x1f && chunk[1] === 0x8b) gunzip = new Gunzip(give);
      }
      if (!gunzip) give(chunk);
      else
        try {
          for (let from = 0; from < chunk.length && wanted; from += SLICE_BYTES) {
            gunzip.push(chunk.subarray(from, from + SLICE_BYTES));
          }
          if (done && wanted) gunzip.push(new Uint8Array(0), true);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          cut = done ? 'its gzip data is cut off' : `its gzip data is damaged before byte ${bytes} (${reason})`;
          break;
        }
      if (done) break;
    }
  } finally {
    // The file may be gone, or another error is already reported: this error adds nothing.
    reader.cancel().catch(() => undefined);
  }
  return { bytes, textBytes, isPacked: gunzip !== undefined, ...(cut === undefined ? {} : { cut }) };
}

export const mebibytes = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 ** 2).toLocaleString('en')} MiB`;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
