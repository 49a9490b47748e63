/** DDP buckets, below the timeline. Collapsed: a one-line summary. Expanded: the panel, loaded then. */
import { useState } from 'react';
import { FACES } from '../../parallel/faces';
import { useLinkedDetails } from '../address/use-linked';
import { loadedPanel } from '../boundary/loaded-panel';
import { useApp } from '../state/use-app';
import styles from './bucket-summary.module.css';
import { capText } from './cap-stops';

const BucketPanel = loadedPanel('The bucket view', async () => (await import('./bucket-panel')).BucketPanel);

export function Buckets() {
  const details = useLinkedDetails('buckets');
  const info = useApp((app) => app.info?.buckets);
  const cap = useApp((app) => app.config.ddp.bucketCapMb);
  const shown = useApp((app) => FACES[app.config.mode].buckets && !app.hide.has('buckets'));
  const [open, setOpen] = useState(false);
  if (!shown || !info) return null;
  const count = (info.rebuilt ?? info.initial).length;
  return (
    <details
      ref={details}
      data-over
      className={styles['buckets']}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        Buckets{' '}
        <span>
          {count} {info.rebuilt ? 'after the rebuild' : ''}, cap {capText(cap)}
        </span>
      </summary>
      {open && <BucketPanel info={info} />}
    </details>
  );
}
