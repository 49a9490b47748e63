/** Reads files in a new worker, which then answers questions about them until it ends. Called by the desk. */
import { underPolicy } from '../../base/policy-worker';
import type { WhatIf, WhatIfChange } from '../../recordings/what-if';
import { askWorker } from '../asking/ask-worker';
import type { GivenFile } from '../looks/dropped-folders';
import type { ReaderQuestions, ReadRecordings } from './reader-api';

export interface Reader {
  /** Rejects if the files can't be read or the worker fails, and with 'aborted' if it is ended. */
  readonly read: Promise<ReadRecordings>;
  /** Computes the read steps under a change; rejects if there are no steps of DDP. */
  whatIf(change: WhatIfChange): Promise<WhatIf>;
  end(): void;
}

const start = (): Worker =>
  underPolicy(
    (Worker) =>
      new Worker(new URL('./reading-worker.ts', import.meta.url), { type: 'module', name: 'lockstep-reader' }),
  );

/** `onProgress` receives the number of bytes read so far, and in total. */
export function openReader(files: readonly GivenFile[], onProgress: (bytes: number, of: number) => void): Reader {
  const { ask, end } = askWorker<ReaderQuestions>(start(), {
    what: 'The reader of recordings',
    hint: 'Try again, with fewer or smaller files.',
  });
  return {
    read: ask('read', files, ({ bytes, of }) => onProgress(bytes, of)),
    whatIf: (change) => ask('whatIf', change),
    end,
  };
}
