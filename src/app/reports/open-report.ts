/** Reads a report in a new worker, which ends afterwards. Called by use-report.ts. */
import { underPolicy } from '../../base/policy-worker';
import type { AnyReport } from '../../reports/any-report';
import { askWorker } from '../asking/ask-worker';
import type { GivenFile } from '../looks/dropped-folders';
import type { ReportQuestions } from './report-reader-api';

const start = (): Worker =>
  underPolicy(
    (Worker) => new Worker(new URL('./report-worker.ts', import.meta.url), { type: 'module', name: 'lockstep-report' }),
  );

/** Rejects with 'aborted' when the signal fires, even in the middle of the file. */
export async function openReport(file: GivenFile, signal: AbortSignal): Promise<AnyReport> {
  const { ask, end } = askWorker<ReportQuestions>(start(), {
    what: 'The reader of reports',
    hint: 'Try again, with a smaller report: without weights, say.',
  });
  signal.addEventListener('abort', end);
  try {
    return await ask('read', file);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
