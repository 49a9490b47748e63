/**
 * One click from the headline number: how the difference from one device grows, beside a control. The panel is loaded
 * when it is opened; its control runs while it is open.
 */

import { useState } from 'react';
import { FACES } from '../../../parallel/faces';
import { useLinkedDetails } from '../../address/use-linked';
import { loadedPanel } from '../../boundary/loaded-panel';
import { useApp } from '../../state/use-app';
import styles from '../result.module.css';

const GrowthPanel = loadedPanel(
  'The growth of the difference',
  async () => (await import('./growth-panel')).GrowthPanel,
);

export function DifferenceGrowth() {
  const details = useLinkedDetails('growth');
  const compared = useApp(
    ({ info }) => info !== undefined && !FACES[info.config.mode].oneDevice && info.config.compareSingle,
  );
  const [open, setOpen] = useState(false);
  if (!compared) return null;
  return (
    <details ref={details} className={styles['table']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>How the difference from one device grows, and why</summary>
      {open && <GrowthPanel />}
    </details>
  );
}
