/**
 * The progress of training: optimizer steps taken, epoch and loss, at the cursor; at the newest step while the session
 * runs freely.
 */
import { formatCount, formatLoss, NONE } from '../draw/format';
import { useApp } from '../state/use-app';
import { isPausing, lossShown, microBatchesShown, runsFreely, stepShown } from '../transport/positions';
import styles from './bar.module.css';

const PAUSING = 'Training finishes the current step, then pauses';

export function Standing() {
  const step = useApp((app) => stepShown(app, runsFreely(app)));
  const loss = useApp((app) => lossShown(app, runsFreely(app)));
  const perEpoch = useApp((app) => app.info?.batchesPerEpoch);
  const microBatches = useApp((app) => microBatchesShown(app, runsFreely(app)));
  const pausing = useApp(isPausing);
  return (
    <div className={styles['standing']}>
      <Value
        after
        label={pausing ? 'pausing' : step === 1 ? 'step done' : 'steps done'}
        name="Step"
        title={pausing ? PAUSING : 'Optimiser steps taken so far'}
        text={formatCount(step)}
      />
      <Value
        wide
        label="epoch"
        name="Epoch"
        text={perEpoch ? formatCount(Math.floor(microBatches / perEpoch)) : NONE}
      />
      <Value label="loss" name="Loss" text={formatLoss(loss)} />
    </div>
  );
}

interface ValueProps {
  readonly label: string;
  readonly name: string;
  readonly text: string;
  readonly title?: string;
  /** Shown only if the bar has room. */
  readonly wide?: boolean;
  /** The label follows the value. */
  readonly after?: boolean;
}

function Value({ label, name, text, title, wide = false, after = false }: ValueProps) {
  const word = <span aria-hidden>{label}</span>;
  return (
    <span className={styles['value']} title={title} data-wide={wide || undefined}>
      {!after && word}
      {/* The text changes many times a second, so a screen reader reads it only on request. */}
      <b role="status" aria-live="off" aria-label={name}>
        {text}
      </b>
      {after && word}
    </span>
  );
}
