/**
 * The axes of the loss chart before the first curve, with the first loss as points: one per rank in its hue, their mean
 * in ink. The plot's library, fetched with the second loss, then draws the same picture in this place.
 */
import type { LossRecord } from '../../protocol/trace';
import { formatTick } from '../draw/format';
import styles from './loss-axes.module.css';
import { FIRST_STEPS, PAD, stepTicks, ticksTo, topOf, X_AXIS, Y_AXIS } from './loss-frame';

/** The most ticks on the y axis, as in the plot. */
const Y_TICKS = 4;
const X_TICKS = 2;

/** `first`: the first loss, undefined before the first step; `step`: its place on the x axis. */
export function LossAxes({ first, step }: { first: LossRecord | undefined; step: number }) {
  const { loss = 0, perRank = [] } = first ?? {};
  const top = topOf(Math.max(0, ...[loss, ...perRank].filter(Number.isFinite)));
  const ranks = perRank.map((value, rank) => ({ value, rank })).filter(({ value }) => Number.isFinite(value));
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
      {(perRank.length > 1 ? ranks : []).map(({ rank, value }) => (
        <i key={rank} data-rank={rank} style={{ ...place(value), background: `var(--rank-${rank}, var(--soft))` }} />
      ))}
      {first && Number.isFinite(loss) && <i data-mean style={place(loss)} />}
    </div>
  );
}
