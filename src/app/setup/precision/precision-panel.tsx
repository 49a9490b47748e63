/**
 * The part below the settings of half precision: where gradients become 0 or inf, the history of the GradScaler, how
 * kernels round, and a link to the lesson. Fetched when half precision is chosen.
 */
import { HALF_NAMES } from '../../../protocol/half-names';
import { halfOf } from '../../../protocol/half-of';
import { useApp } from '../../state/use-app';
import styles from './precision.module.css';
import { RangeView, ScaleView } from './precision-views';

export function PrecisionPanel() {
  const scaled = useApp((app) => app.config.gradScaler.enabled);
  const half = useApp((app) => halfOf(app.config));
  return (
    <section className={styles['panel']} aria-label="Half precision">
      <RangeView />
      {scaled && <ScaleView />}
      {half && (
        <p>
          On the CPU and on every GPU, kernels compute in float32 and round each result to {HALF_NAMES[half]}, as
          PyTorch does on the CPU. Tensors of this type that are kept for the backward pass, or sent, take two bytes per
          element.
        </p>
      )}
      <a href="learn/half-precision.html">Lesson: half precision</a>
    </section>
  );
}
