/** Loss and accuracy over all rows, training and test, from the newest snapshot. */
import { formatLoss, formatPercent } from '../format';
import { useSettled } from '../use-app';
import styles from './result.module.css';

export function Scores() {
  const snapshot = useSettled((app) => app.snapshot, 100);
  const classes = snapshot?.trainAccuracy !== undefined;
  return (
    <table className={styles['scores']}>
      <thead>
        <tr>
          <td />
          <th scope="col">train</th>
          <th scope="col">test</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">loss</th>
          <td>
            <Status name="Train loss" text={formatLoss(snapshot?.trainLoss)} />
          </td>
          <td>
            <Status name="Test loss" text={formatLoss(snapshot?.testLoss)} />
          </td>
        </tr>
        {classes && (
          <tr>
            <th scope="row">accuracy</th>
            <td>
              <Status name="Train accuracy" text={formatPercent(snapshot.trainAccuracy)} />
            </td>
            <td>
              <Status name="Test accuracy" text={formatPercent(snapshot.testAccuracy)} />
            </td>
          </tr>
        )}
      </tbody>
    </table>
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
