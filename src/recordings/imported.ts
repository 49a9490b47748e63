/**
 * The result of reading a set of files: the files read, notices about what could not be read, and the contents (a
 * recording, flight recorder dumps, tables). Plain data that crosses the worker wall by structured clone.
 * `import-files.ts` makes it.
 */
import type { FlightRecording } from './flight/flight-recording';
import type { Recording, RecordingRank } from './recording';
import type { CollectivesTable } from './tables/collectives-table';

/** A place in the files; each field is present only if known. */
export interface RecordPlace {
  readonly file: string;
  readonly byte?: number;
  readonly line?: number;
  /** Position in the file's list of events or entries, from 0. */
  readonly event?: number;
}

/** A notice about something that could not be read, or was guessed; its sentence ends with the consequence. */
export interface RecordingNotice {
  readonly level: 'info' | 'warning';
  readonly text: string;
  readonly place: RecordPlace;
}

export type SourceKind = 'kineto' | 'chrome-trace' | 'lockstep' | 'flight-recorder' | 'collectives-table';

/** A file as it was read; refused files are in the notices only. */
export interface RecordingSource {
  readonly file: string;
  readonly kind: SourceKind;
  /** Size on disk, and after gunzip. */
  readonly bytes: number;
  readonly textBytes: number;
  /** The number of events, entries or rows in the file. */
  readonly entries: number;
  /** The rank, for a trace of one rank. */
  readonly rank?: RecordingRank;
  /** PyTorch's words, if the file has them: "gloo", "nccl"; "vm"; "NVIDIA H100 80GB HBM3". */
  readonly backend?: string;
  readonly host?: string;
  readonly device?: string;
}

/** The joint contents of all files. */
export interface Imported {
  readonly sources: readonly RecordingSource[];
  readonly notices: readonly RecordingNotice[];
  readonly recording?: Recording;
  readonly flight?: FlightRecording;
  readonly tables: readonly CollectivesTable[];
}
