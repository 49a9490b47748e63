/** Where training stands: step, epoch, loss and pace, at the cursor; at the newest step while the session runs freely. */
import { formatCount, formatLoss, formatRate, NONE } from '../format';
import { lossShown, stepShown } from '../positions';
import { speedAt } from '../speeds';
import type { AppState } from '../store';
import { useApp, useSettled } from '../use-app';
import styles from './bar.module.css';

const SHOWN_EVERY_MS = 60;

const runsFreely = (app: AppState) => app.state === 'playing' && speedAt(app.speed).kind === 'steps';

export function Standing() {
  const step = useSettled((app) => stepShown(app, runsFreely(app)), SHOWN_EVERY_MS);
  const loss = useSettled((app) => lossShown(app, runsFreely(app)), SHOWN_EVERY_MS);
  const rate = useSettled((app) => (runsFreely(app) ? app.stepsPerSecond : 0), 500);
  const perEpoch = useApp((app) => app.info?.stepsPerEpoch);
  return (
    <div className={styles['standing']}>
      <Value label="step" name="Step" text={formatCount(step)} />
      <Value label="epoch" name="Epoch" text={perEpoch ? formatCount(Math.floor(step / perEpoch)) : NONE} />
      <Value label="loss" name="Loss" text={formatLoss(loss)} />
      {rate > 0 && <Value label="steps/s" name="Steps a second" text={formatRate(rate)} />}
    </div>
  );
}

function Value({ label, name, text }: { label: string; name: string; text: string }) {
  return (
    <span className={styles['value']}>
      <span aria-hidden>{label}</span>
      {/* It changes many times a second: a screen reader is told on request, not each time. */}
      <b role="status" aria-live="off" aria-label={name}>
        {text}
      </b>
    </span>
  );
}
