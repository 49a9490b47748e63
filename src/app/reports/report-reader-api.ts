/**
 * The messages between the page and the worker that reads reports. Types only; the ends are report-worker.ts and
 * open-report.ts.
 */
import type { AnyReport } from '../../reports/any-report';
import type { GivenFile } from '../looks/dropped-folders';

/** A type alias, because an interface is not assignable to a record. */
export type ReportQuestions = {
  /** Fails with an error that says what is wrong in the file, and where. */
  readonly read: { question: GivenFile; answer: AnyReport };
};
