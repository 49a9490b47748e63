/**
 * The axes of the loss chart before the first curve, with the first loss as points: one per rank in its hue, their mean
 * in ink. The plot's library, fetched with the second loss, then draws the same picture in this place.
 */
import type { LossRecord } from '../../protocol/trace';
import { formatTick } from '../draw/format';
import styles from './loss-axes.module.css';
import { FIRST_STEPS, PAD, stepTicks, ticksTo, topOf, X_AXIS, Y_AXIS } from './loss-frame';
import type { LossSeries } from './loss-series';

/** The most ticks on the y axis, as in the plot. */
const Y_TICKS = 4;
const X_TICKS = 2;

interface LossAxesProps {
  /** The first loss; undefined before the first step. */
  readonly first: LossRecord | undefined;
  readonly perPart: LossSeries['perPart'];
  /** Its place on the x axis. */
  readonly step: number;
}

export function LossAxes({ first, perPart, step }: LossAxesProps) {
  const { loss = 0 } = first ?? {};
  const ranks = perPart.flatMap(({ device, values: [value] }) =>
    typeof value === 'number' ? [{ device, value }] : [],
  );
  const top = topOf(Math.max(0, ...[loss, ...ranks.map(({ value }) => value)].filter(Number.isFinite)));
  const place = (value: number) => ({
    left: `${(100 * step) / FIRST_STEPS}%`,
    bottom: `${(100 * value) / top}%`,
  });
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
      {stepTicks(FIRST_STEPS, X_TICKS).map((tick) => (
        <span key={tick} className={styles['x']} style={{ left: `${(100 * tick) / FIRST_STEPS}%` }}>
          {tick}
        </span>
      ))}
      {ranks.map(({ device, value }) => (
        <i
          key={device}
          data-rank={device}
          style={{ ...place(value), background: `var(--rank-${device}, var(--soft))` }}
        />
      ))}
      {first && Number.isFinite(loss) && <i data-mean style={place(loss)} />}
    </div>
  );
}
