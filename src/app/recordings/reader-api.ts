/**
 * The messages between the page and the worker that reads recordings. Types only; the ends are reading-worker.ts and
 * open-reader.ts. Each worker reads once: to stop reading, the page ends the worker; after reading, the worker answers
 * what-if questions about its recording.
 */
import type { Imported } from '../../recordings/imported';
import type { FlightAnalysis, RecordingAnalysis } from '../../recordings/recording-analysis';
import type { WhatIf, WhatIfChange } from '../../recordings/what-if';
import type { GivenFile } from '../looks/dropped-folders';

export interface ReadRecordings {
  readonly imported: Imported;
  readonly analysis: RecordingAnalysis | undefined;
  readonly flight: FlightAnalysis | undefined;
}

/** A type alias, because an interface is not assignable to a record. */
export type ReaderQuestions = {
  /** `progress`: the bytes read so far, of all files together. */
  readonly read: {
    question: readonly GivenFile[];
    answer: ReadRecordings;
    progress: { readonly bytes: number; readonly of: number };
  };
  /** A what-if question about the read steps. Fails if they include no steps of DDP to model. */
  readonly whatIf: { question: WhatIfChange; answer: WhatIf };
};
