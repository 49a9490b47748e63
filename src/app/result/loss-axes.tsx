/** The axes of the loss chart before there is a curve, where the plot will draw its own. */
import { formatTick } from '../draw/format';
import styles from './loss-axes.module.css';
import { FIRST_STEPS, PAD, ticksTo, topOf, X_AXIS, Y_AXIS } from './loss-frame';

/** As many as the plot has room for. */
const Y_TICKS = 4;
const X_TICKS = 2;

/** `highest`: the largest loss so far, 0 where there is none. */
export function LossAxes({ highest }: { highest: number }) {
  const top = topOf(highest);
  return (
    <div
      aria-hidden="true"
      className={styles['axes']}
      style={{ inset: `${PAD.top}px ${PAD.right}px ${X_AXIS}px ${Y_AXIS}px` }}
    >
      {ticksTo(top, Y_TICKS).map((tick) => (
        <span key={tick} className={styles['y']} style={{ bottom: `${(100 * tick) / top}%` }}>
          {formatTick(tick)}
        </span>
      ))}
      {ticksTo(FIRST_STEPS, X_TICKS).map((tick) => (
        <span key={tick} className={styles['x']} style={{ left: `${(100 * tick) / FIRST_STEPS}%` }}>
          {tick}
        </span>
      ))}
    </div>
  );
}
