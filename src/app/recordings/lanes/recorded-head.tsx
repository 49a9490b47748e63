/** The line above the lanes of a recording: its clock, the legend, the zoom buttons. */
import type { ReactNode } from 'react';
import { Key } from '../../lanes/key';
import { ZoomButtons } from '../../lanes/zoom-buttons';
import styles from './recorded-timeline.module.css';

interface RecordedHeadProps {
  readonly clock: string;
  /** Zooms by a factor: above 1 enlarges; 0 shows the whole recording. */
  readonly onZoom: (factor: number) => void;
  /** Further content of the line. */
  readonly children: ReactNode;
}

export function RecordedHead({ clock, onZoom, children }: RecordedHeadProps) {
  return (
    <div className={styles['head']}>
      <Key
        entries={LOOKS}
        className={styles['key']}
        first={<span className={styles['clock']}>{clock} time</span>}
        last={
          <span>
            <b aria-hidden="true">▾</b>
            last to join
          </span>
        }
      />
      <ZoomButtons whole="Show the whole recording" onZoom={onZoom} />
      {children}
    </div>
  );
}

const LOOKS = [
  ['waits', 'waits for the last rank'],
  ['exposed', 'transfer'],
  ['hidden', 'hidden behind computation'],
  ['idle', 'idle'],
] as const;
