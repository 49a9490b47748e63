/**
 * Below the settings of half precision: where gradients become 0 or inf, what the GradScaler has done, and the lesson.
 * Fetched when such a run is set up.
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
