/**
 * Reads one file piece by piece; its first bytes decide whether it is JSON, a pickle or a table of text. Called by
 * `import-files.ts`.
 */
import { LockstepError } from '../base/errors';
import { isPickle, readPickle } from './flight/pickle';
import { flightDraft, get, list } from './flight/read-flight';
import type { RecordingNotice } from './imported';
import { JsonReader, leftOutNotice, type ReadFile, rankOfDump, sourceOf } from './read-json';
import { mebibytes, type StreamEnd } from './recording-file';
import { readNcclTable } from './tables/nccl-table';

/** Dumps and tables are smaller than this. */
const MOST_WHOLE_BYTES = 256 * 1024 ** 2;

/** Limit for text: nccl-tests prints a line for each size, and NCCL's log has some thousand lines. */
const MOST_TABLE_BYTES = 8 * 1024 ** 2;

export class FileReader {
  private json: JsonReader | undefined;
  private readonly pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly file: string) {}

  /** False: no more of it is wanted. */
  push(piece: Uint8Array): boolean {
    if (this.json) return this.json.push(piece);
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (isJson(piece, this.pieces.length === 1)) {
      this.json = new JsonReader(this.file);
      return this.pieces.splice(0).every((part) => this.json?.push(part));
    }
    return this.bytes <= MOST_WHOLE_BYTES;
  }

  end(stream: StreamEnd): ReadFile {
    if (this.json) return this.json.end(stream);
    try {
      return this.whole(stream);
    } catch (error) {
      if (!(error instanceof LockstepError)) throw error;
      const byte = error.details['byte'];
      const place = { file: this.file, ...(typeof byte === 'number' ? { byte } : {}) };
      return { notices: [{ level: 'warning', text: `${error.message} ${error.hint}`.trim(), place }] };
    }
  }

  private whole({ cut }: StreamEnd): ReadFile {
    if (this.bytes === 0) throw new LockstepError('data', 'The file is empty.');
    if (this.bytes > MOST_WHOLE_BYTES) {
      const most = mebibytes(MOST_WHOLE_BYTES);
      throw new LockstepError(
        'data',
        `The file is not JSON and is larger than ${most}: Lockstep can read no such recording.`,
      );
    }
    const bytes = joined(this.pieces, this.bytes);
    const notices: RecordingNotice[] = [];
    if (cut !== undefined) {
      notices.push({
        level: 'warning',
        text: `Only a part of the file could be read: ${cut}.`,
        place: { file: this.file },
      });
    }
    if (isPickle(bytes)) {
      const dump = readPickle(bytes, this.file);
      const entries = get(dump, 'entries');
      if (!Array.isArray(entries)) {
        throw new LockstepError('data', 'The file is a pickle without "entries", so it is not a flight recorder dump.');
      }
      const groups = get(dump, 'pg_config');
      const flight = flightDraft(this.file, rankOfDump(this.file), {
        version: get(dump, 'version'),
        groups,
        entries: list(entries),
      });
      return { notices: [...notices, ...leftOutNotice(flight)], flights: [flight], source: sourceOf([flight]) };
    }
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      throw new LockstepError('data', 'The file is a zip archive.', 'Unpack the archive first.');
    if (bytes.subarray(0, 4096).includes(0)) {
      throw new LockstepError('data', 'The file is neither JSON, gzip, a pickle nor text.', WHAT);
    }
    if (this.bytes > MOST_TABLE_BYTES) {
      const most = mebibytes(MOST_TABLE_BYTES);
      throw new LockstepError(
        'data',
        `The file is a text of ${mebibytes(this.bytes)}; tables may have at most ${most}.`,
        WHAT,
      );
    }
    const { table, notices: more } = readNcclTable(this.file, new TextDecoder().decode(bytes));
    const source = { kind: 'collectives-table', entries: table.rows.length } as const;
    return { notices: [...notices, ...more], table, source };
  }
}

const WHAT = 'Traces of torch.profiler, dumps of the flight recorder and tables of nccl-tests can be read.';

/** The first character is a bracket, possibly after a byte order mark and spaces. */
function isJson(piece: Uint8Array, isFirst: boolean): boolean {
  if (!isFirst) return false;
  const first = new TextDecoder().decode(piece.subarray(0, 512)).trimStart();
  return first.startsWith('{') || first.startsWith('[');
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
