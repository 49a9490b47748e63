/**
 * The place of the collectives lab: a dialog over the page, which continues to train, or the whole page in an embed.
 * The lab is loaded when it is first opened; if loading fails, the dialog can still be closed.
 */
import { useCallback } from 'react';
import { useUrlSync } from '../address/use-address';
import { loadedPanel } from '../boundary/loaded-panel';
import { FullDialog } from '../fields/full-dialog';
import { useApp } from '../state/use-app';
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
    <FullDialog name="Collectives lab" short="lab" close={close}>
      <div className={styles['lab']}>
        <LabBody lab={lab} />
      </div>
    </FullDialog>
  );
}
