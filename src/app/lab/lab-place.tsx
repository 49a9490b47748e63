/**
 * Where the collectives lab is shown: a dialog over the page, which goes on training; by itself in an embed. The lab is
 * loaded when it is first opened, and the dialog can be closed although the lab did not come.
 */
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { must } from '../../base/invariant';
import { loadedPanel } from '../boundary/loaded-panel';
import { useApp, useUrlSync } from '../state/use-app';
import styles from './lab-place.module.css';

const LabBody = loadedPanel('The lab', async () => (await import('./lab')).LabBody);

export function LabPlace() {
  const embed = useApp((app) => app.embed);
  const lab = useApp((app) => app.lab);
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const close = useCallback(() => {
    setView({ lab: undefined });
    urlSync.write();
  }, [setView, urlSync]);
  if (!lab) return null;
  if (embed)
    return (
      <main className={styles['lab']} data-embed>
        <LabBody lab={lab} />
      </main>
    );
  return (
    <LabDialog close={close}>
      <LabBody lab={lab} />
    </LabDialog>
  );
}

function LabDialog({ close, children }: { close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = must(dialog.current, 'the dialog of the lab');
    element.showModal();
    // Not the button that closes it.
    element.focus();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} tabIndex={-1} className={styles['dialog']} aria-label="Collectives lab" onClose={close}>
      <div className={styles['lab']}>
        <button
          type="button"
          className={styles['close']}
          aria-label="Close the lab"
          title="Close (Esc)"
          onClick={close}
        >
          ✕
        </button>
        {children}
      </div>
    </dialog>
  );
}
