/**
 * What reading a set of files gives: which files were read, what could not be, and what they hold (a recording, flight
 * recorder dumps, tables). Plain data that crosses the worker wall by structured clone. `import-files.ts` makes it.
 */
import type { FlightRecording } from './flight/flight-recording';
import type { Recording, RecordingRank } from './recording';
import type { CollectivesTable } from './tables/collectives-table';

/** Where in the files something was found: what can be said of it, and no more. */
export interface RecordPlace {
  readonly file: string;
  readonly byte?: number;
  readonly line?: number;
  /** Position in the file's list of events or entries, from 0. */
  readonly event?: number;
}

/** What could not be read, or was read with a guess; a sentence that ends in what follows from it. */
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
  /** As it lay on the disk, and after gunzip. */
  readonly bytes: number;
  readonly textBytes: number;
  /** Events, entries or rows that it had. */
  readonly entries: number;
  /** Of a trace of one rank. */
  readonly rank?: RecordingRank;
  /** PyTorch's words, where the file says them: "gloo", "nccl"; "vm"; "NVIDIA H100 80GB HBM3". */
  readonly backend?: string;
  readonly host?: string;
  readonly device?: string;
}

/** All that the dropped files said, together. */
export interface Imported {
  readonly sources: readonly RecordingSource[];
  readonly notices: readonly RecordingNotice[];
  readonly recording?: Recording;
  readonly flight?: FlightRecording;
  readonly tables: readonly CollectivesTable[];
}
