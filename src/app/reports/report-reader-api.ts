/** What the page asks the worker that reads reports. Types only; its ends are report-worker.ts and open-report.ts. */
import type { AnyReport } from '../../reports/any-report';
import type { GivenFile } from '../looks/dropped-folders';

/** A type, since an interface is no record. */
export type ReportQuestions = {
  /** Fails with what is wrong with the file, and where. */
  readonly read: { question: GivenFile; answer: AnyReport };
};
