/** The worker that reads reports, so that 400 MB of JSON do not block the page. open-report.ts starts it. */
import { LockstepError } from '../../base/errors';
import type { AnyReport } from '../../reports/any-report';
import { MOST_BYTES, parseReport } from '../../reports/read-report';
import { answerQuestions } from '../asking/worker-talk';
import type { GivenFile } from '../looks/dropped-folders';
import type { ReportQuestions } from './report-reader-api';

async function readFile({ path, file }: GivenFile): Promise<AnyReport> {
  const name = path.split('/').at(-1) ?? path;
  if (file.size > MOST_BYTES)
    throw new LockstepError(
      'data',
      `${name} has ${Math.round(file.size / 2 ** 20)} MiB; at most ${MOST_BYTES / 2 ** 20} are read.`,
      'Leave weights or history out of the report.',
    );
  let text: string;
  try {
    text = await file.text();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LockstepError('data', `${name} could not be read: ${reason}`, 'Choose the file again.');
  }
  return parseReport(text, name);
}

answerQuestions<ReportQuestions>({
  async read(file) {
    const answer = await readFile(file);
    const buffers = [...(answer.weights?.values() ?? [])].map(({ values }) => values.buffer);
    // Several tensors may share one file's buffer.
    return { answer, move: [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer) };
  },
});
