/**
 * What the page asks the worker that reads recordings, and what that answers. Types only; reading-worker.ts is one end,
 * open-reader.ts the other. One reading for each worker: to stop it, it is ended; one that has read answers what its
 * recording would have been otherwise.
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

/** A type, since an interface is no record. */
export type ReaderQuestions = {
  /** `progress`: bytes that were read, of all files together. */
  readonly read: {
    question: readonly GivenFile[];
    answer: ReadRecordings;
    progress: { readonly bytes: number; readonly of: number };
  };
  /** Of what was read. Fails where that has no steps of DDP to be modelled. */
  readonly whatIf: { question: WhatIfChange; answer: WhatIf };
};
