/**
 * The worker that reads recordings, so that 100 MB do not block the page. After reading it keeps only the steps of DDP,
 * from which it computes these steps with another bucket cap or link. open-reader.ts starts it.
 */
import { LockstepError } from '../../base/errors';
import { analyse } from '../../recordings/analyse';
import { analyseFlight } from '../../recordings/analyse-flight';
import { importFiles } from '../../recordings/import-files';
import { type RecordedSteps, recordedSteps, whatIfOf } from '../../recordings/what-if';
import { type Answers, answerQuestions } from '../asking/worker-talk';
import type { ReaderQuestions } from './reader-api';

function answers(): Answers<ReaderQuestions> {
  let steps = (): RecordedSteps => {
    throw new LockstepError('data', 'No recording has been read yet, so there is nothing to compare.');
  };
  return {
    async read(files, say) {
      const given = files.map(({ path, file }) => ({ name: path, size: file.size, stream: () => file.stream() }));
      const imported = await importFiles(given, { onProgress: (bytes, of) => say({ bytes, of }) });
      const { recording, flight } = imported;
      if (recording?.clock === 'measured') steps = afterwards(() => recordedSteps(recording));
      return {
        answer: { imported, analysis: recording && analyse(recording), flight: flight && analyseFlight(flight) },
      };
    },
    whatIf: async (change) => ({ answer: whatIfOf(steps(), change) }),
  };
}

/** Computes a value after the pending answer has been sent, and then releases the value's inputs. */
function afterwards<T>(make: () => T): () => T {
  let open: (() => T) | undefined = make;
  let get = (): T => {
    throw new LockstepError('internal', 'not yet made');
  };
  const settle = (): void => {
    if (!open) return;
    try {
      const made = open();
      get = () => made;
    } catch (error) {
      get = () => {
        throw error;
      };
    }
    open = undefined;
  };
  setTimeout(settle);
  return () => {
    settle();
    return get();
  };
}

answerQuestions(answers());
