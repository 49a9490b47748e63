/**
 * The place for comparing two runs, or this run with a report: a dialog over the unchanged page. Loaded when it is
 * opened.
 */
import { useCallback } from 'react';
import { useUrlSync } from '../address/use-address';
import { loadedPanel } from '../boundary/loaded-panel';
import { FullDialog } from '../fields/full-dialog';
import { closeReport, GIVEN_REPORT } from '../looks/given';
import { useApp, useAppStore, useSlice } from '../state/use-app';

const WithReport = loadedPanel(
  'The comparison with a report',
  async () => (await import('../reports/with-report')).WithReport,
);
const Compare = loadedPanel('The comparison', async () => (await import('../compare/compare')).Compare);

export function ComparePlace() {
  const open = useApp((app) => app.beside !== undefined);
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const close = useCallback(() => {
    setView({ beside: undefined });
    urlSync.write();
  }, [setView, urlSync]);
  const report = useSlice(GIVEN_REPORT) !== undefined;
  const store = useAppStore();
  if (report)
    return (
      <FullDialog key="report" name="Compare with a report" short="comparison" close={() => closeReport(store)}>
        <WithReport />
      </FullDialog>
    );
  return (
    open && (
      <FullDialog name="Compare two runs" short="comparison" close={close}>
        <Compare />
      </FullDialog>
    )
  );
}
