/** Where two runs are compared: a dialog over the page, which stays as it is beneath it. Loaded when it is opened. */
import { useCallback } from 'react';
import { loadedPanel } from '../boundary/loaded-panel';
import { FullDialog } from '../shell/full-dialog';
import { useApp, useUrlSync } from '../state/use-app';

const Compare = loadedPanel('The comparison', async () => (await import('./compare')).Compare);

export function ComparePlace() {
  const open = useApp((app) => app.beside !== undefined);
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const close = useCallback(() => {
    setView({ beside: undefined });
    urlSync.write();
  }, [setView, urlSync]);
  return (
    open && (
      <FullDialog name="Compare two runs" short="comparison" close={close}>
        <Compare />
      </FullDialog>
    )
  );
}
