/**
 * The part below the settings of half precision: where gradients become 0 or inf, the history of the GradScaler, how
 * kernels round, and a link to the lesson. Fetched when half precision is chosen.
 */
import { HALF_NAMES } from '../../../protocol/half-names';
import { halfOf } from '../../../protocol/half-of';
import type { DeviceReport } from '../../../protocol/session-info';
import { useApp } from '../../state/use-app';
import styles from './precision.module.css';
import { RangeView, ScaleView } from './precision-views';

const HOW_CONVERTED: Readonly<Record<NonNullable<DeviceReport['float16']>, string>> = {
  f16: "This GPU has shader-f16: kernels read and write halves with WGSL's type f16.",
  packed: 'This GPU lacks shader-f16: kernels convert halves in whole numbers, two halves per 32-bit word.',
  inexact:
    "This GPU's shader-f16 does not round as PyTorch does: kernels convert halves in whole numbers, two halves per 32-bit word.",
};

export function PrecisionPanel() {
  const scaled = useApp((app) => app.config.gradScaler.enabled);
  const half = useApp((app) => halfOf(app.config));
  const converted = useApp((app) => app.info?.device.float16);
  return (
    <section className={styles['panel']} aria-label="Half precision">
      <RangeView />
      {scaled && <ScaleView />}
      {half && (
        <p>
          On the CPU and on every GPU, kernels compute in float32 and round each result to {HALF_NAMES[half]}, as
          PyTorch does on the CPU. Tensors of this type that are kept for the backward pass, or sent, take two bytes per
          element.{converted && ` ${HOW_CONVERTED[converted]}`}
        </p>
      )}
      <a href="learn/half-precision.html">Lesson: half precision</a>
    </section>
  );
}
