/**
 * The place of recordings of runs elsewhere: a dialog over the page, which continues to train, or the whole page in an
 * embed. Opened recordings stay open for the next time. The view is loaded when it is first opened.
 */
import { useCallback, useRef } from 'react';
import { useUrlSync } from '../address/use-address';
import { loadedPanel } from '../boundary/loaded-panel';
import { FullDialog } from '../fields/full-dialog';
import { useApp } from '../state/use-app';
import type { Desk } from './desk';

const Recordings = loadedPanel('The view of recordings', async () => (await import('./recordings')).Recordings);

export function RecordingsPlace() {
  const open = useApp((app) => app.recording !== undefined);
  const embed = useApp((app) => app.embed);
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const desk = useRef<Desk>(undefined);
  const close = useCallback(() => {
    setView({ recording: undefined });
    urlSync.write();
  }, [setView, urlSync]);
  if (!open) return null;
  if (embed)
    return (
      <main>
        <Recordings desk={desk} />
      </main>
    );
  return (
    <FullDialog name="Recordings" short="recordings" close={close}>
      <Recordings desk={desk} />
    </FullDialog>
  );
}
