/**
 * Images that the model classifies wrongly, the most confident mistakes first: a strip of images, and the chosen one
 * large with its class and the predicted class.
 */
import { useState } from 'react';
import type { Misclassified } from '../../../protocol/snapshot';
import { formatCount, formatPercent } from '../../draw/format';
import { useApp, useSettled } from '../../state/use-app';
import views from '../views/views.module.css';
import { ImageCanvas } from './image-canvas';
import styles from './mistakes-view.module.css';

const EVERY_MS = 400;
const SMALL = 42;
const LARGE = 132;

export function MistakesView() {
  const mistakes = useSettled((app) => app.snapshot?.misclassified, EVERY_MS);
  const confusion = useSettled((app) => app.snapshot?.confusion, EVERY_MS);
  const names = useApp((app) => app.info?.dataset.classNames) ?? [];
  const [chosen, choose] = useState<number>();
  if (!mistakes || !confusion) return <p className={views['quiet']}>Nothing is counted yet.</p>;
  const large = mistakes.find(({ row }) => row === chosen) ?? mistakes[0];
  if (!large) {
    const rows = confusion.counts.reduce((sum, n) => sum + n, 0);
    const kind = confusion.of === 'test' ? 'test' : 'training';
    return (
      <p className={views['quiet']}>
        None of the {formatCount(rows)} {kind} images is classified wrongly.
      </p>
    );
  }
  const nameOf = (index: number) => names[index] ?? String(index);
  const told = ({ label, predicted, probability }: Misclassified) =>
    `is ${nameOf(label)}, classified as ${nameOf(predicted)}, ${formatPercent(probability)}`;
  return (
    <>
      <figure className={styles['large']}>
        <ImageCanvas image={large} side={LARGE} />
        <figcaption>
          <span>is</span>
          <b>{nameOf(large.label)}</b>
          <span>taken for</span>
          <b>{nameOf(large.predicted)}</b>
          <span>with {formatPercent(large.probability)} probability</span>
          <small>
            row {large.row}, {confusion.of === 'test' ? 'never trained on' : 'trained on'}
          </small>
        </figcaption>
      </figure>
      <ul className={styles['strip']} aria-label="Misclassified images, the surest mistakes first">
        {mistakes.map((image) => (
          <li key={image.row}>
            <button
              type="button"
              aria-label={told(image)}
              title={told(image)}
              aria-pressed={image.row === large.row}
              onClick={() => choose(image.row)}
            >
              <ImageCanvas image={image} side={SMALL} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
