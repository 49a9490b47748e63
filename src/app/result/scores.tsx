/** Loss and accuracy over all rows, training and test, from the newest snapshot. */
import { formatLoss, formatPercent } from '../format';
import { useSettled } from '../use-app';
import styles from './result.module.css';

export function Scores() {
  const snapshot = useSettled((app) => app.snapshot, 100);
  const classes = snapshot?.trainAccuracy !== undefined;
  return (
    <dl className={styles['scores']}>
      <div>
        <dt>train</dt>
        <dd>
          <Status name="Train loss" text={formatLoss(snapshot?.trainLoss)} />
        </dd>
        {classes && (
          <dd>
            <Status name="Train accuracy" text={formatPercent(snapshot.trainAccuracy)} />
          </dd>
        )}
      </div>
      <div>
        <dt>test</dt>
        <dd>
          <Status name="Test loss" text={formatLoss(snapshot?.testLoss)} />
        </dd>
        {classes && (
          <dd>
            <Status name="Test accuracy" text={formatPercent(snapshot.testAccuracy)} />
          </dd>
        )}
      </div>
    </dl>
  );
}

/** A value by name; it is not announced at each change, a reader asks for it. */
export function Status({ name, text }: { name: string; text: string }) {
  return (
    <span role="status" aria-live="off" aria-label={name}>
      {text}
    </span>
  );
}
