/** Where training stands: step, epoch, loss and pace, at the cursor; at the newest step while the session runs freely. */
import { formatCount, formatLoss, formatRate, NONE } from '../format';
import { lossShown, stepShown } from '../positions';
import { speedAt } from '../speeds';
import type { AppState } from '../store';
import { useApp, useSettled } from '../use-app';
import styles from './bar.module.css';

const runsFreely = (app: AppState) => app.state === 'playing' && speedAt(app.speed).kind === 'steps';

export function Standing() {
  const step = useApp((app) => stepShown(app, runsFreely(app)));
  const loss = useApp((app) => lossShown(app, runsFreely(app)));
  const rate = useSettled((app) => (runsFreely(app) ? app.stepsPerSecond : 0), 500);
  const perEpoch = useApp((app) => app.info?.stepsPerEpoch);
  return (
    <div className={styles['standing']}>
      <Value label="step" name="Step" text={formatCount(step)} />
      <Value wide label="epoch" name="Epoch" text={perEpoch ? formatCount(Math.floor(step / perEpoch)) : NONE} />
      <Value label="loss" name="Loss" text={formatLoss(loss)} />
      <Value label="steps/s" name="Steps a second" text={rate > 0 ? formatRate(rate) : NONE} />
    </div>
  );
}

interface ValueProps {
  readonly label: string;
  readonly name: string;
  readonly text: string;
  /** Only where the bar has room for it. */
  readonly wide?: boolean;
}

function Value({ label, name, text, wide = false }: ValueProps) {
  return (
    <span className={styles['value']} data-wide={wide || undefined}>
      <span aria-hidden>{label}</span>
      {/* It changes many times a second: a screen reader is told on request, not each time. */}
      <b role="status" aria-live="off" aria-label={name}>
        {text}
      </b>
    </span>
  );
}
