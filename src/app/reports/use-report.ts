/**
 * The report that is compared with the run on the page: reads the file, and compares it with the page's run so far, or
 * with a whole run of the page's settings that this hook starts. Used by with-report.tsx.
 */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { LockstepError } from '../../base/errors';
import type { AnyReport } from '../../reports/any-report';
import { compareReports, type ReportComparison } from '../../reports/compare-reports';
import { readReport } from '../../reports/read-report';
import type { GivenFile } from '../looks/dropped-folders';
import { GIVEN_REPORT } from '../looks/given';
import { useController } from '../run/use-controller';
import { useApp, useAppStore, useSettled, useSlice } from '../state/use-app';
import { openReport } from './open-report';
import { reportOfPage, stepsOf, THIS_RUN } from './report-of-page';
import { type ReportTask, useOneTask } from './use-one-task';

/** The most steps of a run made for the comparison; longer runs are for the command line. */
export const MOST_STEPS = 2000;
const MOST_HISTORY = 50;
const EVERY_MS = 500;

export interface ReportView {
  readonly report: AnyReport | undefined;
  readonly comparison: ReportComparison | undefined;
  /** The task in progress. */
  readonly busy: ReportTask | undefined;
  readonly failure: LockstepError | undefined;
  /** Whether the report is compared with a separate run instead of the page's. */
  readonly apart: boolean;
  take(file: GivenFile): void;
  /** Runs the settings of the page for the report's steps, with weights and first steps. */
  run(): void;
  /** Stops the task in progress; the shown comparison stays. */
  cancel(): void;
}

export function useReport(): ReportView {
  const store = useAppStore();
  const controller = useController();
  const given = useSlice(GIVEN_REPORT);
  const [report, setReport] = useState<AnyReport>();
  const [made, setMade] = useState<AnyReport>();
  const { busy, failure, during, cancel } = useOneTask();
  const take = useCallback(
    (file: GivenFile) =>
      void during('reading', async (signal) => {
        const read = await openReport(file, signal);
        return () => {
          setReport(read);
          setMade(undefined);
        };
      }),
    [during],
  );
  useEffect(() => {
    if (given !== undefined && given !== 'none') take(given);
  }, [given, take]);
  const run = () => {
    if (!report) return;
    void during('running', async (signal) => {
      const { info, config } = store.getState();
      const { epochs: _, ...settings } = info?.config ?? config;
      const steps = Math.min(MOST_STEPS, stepsOf(report));
      const records = { history: Math.min(MOST_HISTORY, steps), weights: true };
      const whole = await controller.run({ ...settings, steps }, controller.lead.files(), records, signal);
      const read = readReport(whole, THIS_RUN);
      return () => setMade(read);
    });
  };

  const losses = useSettled((app) => app.losses, EVERY_MS);
  const snapshot = useSettled((app) => app.snapshot, EVERY_MS);
  const info = useApp((app) => app.info);
  const config = useApp((app) => app.config);
  const comparison = useMemo(
    () => report && compareReports(made ?? reportOfPage({ config, info, losses, snapshot }, stepsOf(report)), report),
    [report, made, config, info, losses, snapshot],
  );
  return { report, comparison, busy, failure, apart: made !== undefined, take, run, cancel };
}
