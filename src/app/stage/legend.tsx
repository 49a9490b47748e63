/**
 * What the colours of the stage mean: the one scale for values, the kinds of packets of this step, and which way a ring
 * turns.
 */
import type { Payload } from '../../protocol/trace';
import { RING_SHORT, RING_WHY, turnsRing } from '../../trace/ring-words';
import { scaleValue, VALUE_LIMIT } from '../draw/value-scale';
import { usePalette, useSettled } from '../state/use-app';
import styles from './legend.module.css';

const STOPS = Array.from({ length: 17 }, (_, i) => i / 8 - 1);
/** Numbers under the ramp; the scale is logarithmic beyond some thousandths. */
const TICKS = [-VALUE_LIMIT, -0.05, 0, 0.05, VALUE_LIMIT];
const PAYLOADS: readonly Payload[] = ['data', 'activation', 'gradient', 'parameter'];
const NAMES: Readonly<Record<Payload, string>> = {
  data: 'batch',
  activation: 'activation',
  gradient: 'gradient',
  parameter: 'parameter',
};
const percent = (scaled: number): number => 50 * (scaled + 1);

export function Legend() {
  const palette = usePalette();
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 300);
  const carried = PAYLOADS.filter((p) => trace?.events.some((e) => e.kind === 'send' && e.payload === p));
  const ramp = STOPS.map((at) => `${palette.diverging(at)} ${percent(at)}%`).join(', ');
  return (
    <>
      <span className={styles['scale']}>
        <span>values</span>
        <span className={styles['ramp']} style={{ background: `linear-gradient(to right, ${ramp})` }}>
          {TICKS.map((tick) => (
            <i key={tick} style={{ left: `${percent(scaleValue(tick))}%` }}>
              {String(tick).replace('-', '−')}
            </i>
          ))}
        </span>
      </span>
      {carried.length > 0 && (
        <span className={styles['kinds']}>
          <span>packets</span>
          {carried.map((p) => (
            <span key={p} className={styles['kind']}>
              <i style={{ borderColor: palette.payload[p] }} />
              {NAMES[p]}
            </span>
          ))}
        </span>
      )}
      {trace && turnsRing(trace) && (
        <details className={styles['ring']}>
          <summary>{RING_SHORT}</summary>
          <p>{RING_WHY}</p>
        </details>
      )}
    </>
  );
}
