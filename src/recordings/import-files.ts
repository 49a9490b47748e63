/**
 * Reads the files of a recording, of any supported kind: the only entry point, for the page's worker and the command
 * line. A file that can't be read is a notice with its place, and the others are read on; only an abort throws.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { FileReader } from './file-reader';
import { type FlightRankDraft, flightRecording } from './flight/read-flight';
import type { Imported, RecordingNotice, RecordingSource } from './imported';
import { type RecordingFile, type RecordingOptions, readBytes } from './recording-file';
import type { CollectivesTable } from './tables/collectives-table';
import { joinRanks } from './traces/join-ranks';
import type { RankDraft } from './traces/rank-drafts';

/** In order of names, so that "rank10" is after "rank2" and files without a rank get the same one each time. */
const inOrder = (files: readonly RecordingFile[]): readonly RecordingFile[] =>
  [...files].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));

export async function importFiles(files: readonly RecordingFile[], options: RecordingOptions = {}): Promise<Imported> {
  const sources: RecordingSource[] = [];
  const notices: RecordingNotice[] = [];
  const drafts: RankDraft[] = [];
  const flights: FlightRankDraft[] = [];
  const tables: CollectivesTable[] = [];
  const of = files.reduce((sum, { size }) => sum + size, 0);
  let read = 0;
  const onBytes = (bytes: number): void => {
    read += bytes;
    options.onProgress?.(Math.min(read, of), of);
  };
  for (const file of inOrder(files)) {
    const reader = new FileReader(file.name);
    try {
      const end = await readBytes(file, (piece) => reader.push(piece), { ...options, onBytes });
      const found = reader.end(end);
      notices.push(...found.notices);
      drafts.push(...(found.drafts ?? []));
      flights.push(...(found.flights ?? []));
      if (found.table) tables.push(found.table);
      if (found.source) sources.push({ ...found.source, file: file.name, bytes: file.size, textBytes: end.textBytes });
    } catch (error) {
      if (error instanceof LockstepError && error.code === 'aborted') throw error;
      const reason = brief(error instanceof Error ? error.message : String(error), 300);
      notices.push({ level: 'warning', text: `The file cannot be read: ${reason}`, place: { file: file.name } });
    }
  }
  const joined = joinRanks(drafts);
  notices.push(...(joined?.notices ?? []));
  const flight = flightRecording(flights);
  const recording = joined?.recording;
  return {
    sources,
    notices: fewPerFile(notices),
    tables,
    ...(recording ? { recording } : {}),
    ...(flight ? { flight } : {}),
  };
}

/** Limit of notices for a file: a damaged file might give one for every event. */
const MOST_OF_FILE = 12;

function fewPerFile(notices: readonly RecordingNotice[]): readonly RecordingNotice[] {
  const counts = new Map<string, number>();
  const kept = notices.filter(({ place: { file } }) => {
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    return count <= MOST_OF_FILE;
  });
  const more = [...counts].filter(([, count]) => count > MOST_OF_FILE);
  return [
    ...kept,
    ...more.map(([file, count]): RecordingNotice => {
      const text = `${(count - MOST_OF_FILE).toLocaleString('en')} more notices like these are not shown.`;
      return { level: 'warning', text, place: { file } };
    }),
  ];
}
