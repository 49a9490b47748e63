/**
 * The part below the settings of half precision: where gradients become 0 or inf, the history of the GradScaler, and a
 * link to the lesson. Fetched when half precision is chosen.
 */
import { useApp } from '../../state/use-app';
import styles from './precision.module.css';
import { RangeView, ScaleView } from './precision-views';

export function PrecisionPanel() {
  const scaled = useApp((app) => app.config.gradScaler.enabled);
  return (
    <section className={styles['panel']} aria-label="Half precision">
      <RangeView />
      {scaled && <ScaleView />}
      <a href="learn/half-precision.html">Lesson: half precision</a>
    </section>
  );
}
