/** A small plot of the bubble over the number of micro-batches, with the run's own number marked. */

import type { BubbleFacts } from './bubble-facts';
import styles from './facts.module.css';
import { percentText } from './why-bubble';

const WIDTH = 300;
const HEIGHT = 118;
const LEFT = 40;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 32;

interface BubbleCurveProps {
  readonly facts: BubbleFacts;
  readonly microBatches: number;
  /** The bubble of the step that ran; undefined before one has. */
  readonly measured: number | undefined;
}

export function BubbleCurve({ facts, microBatches, measured }: BubbleCurveProps) {
  const { curve, bubble } = facts;
  const last = Math.max(...curve.map((point) => point.microBatches), 2);
  const top = Math.max(0.25, Math.ceil(4 * Math.max(measured ?? 0, ...curve.map((point) => point.bubble))) / 4);
  const x = (m: number): number => LEFT + (Math.log2(m) / Math.log2(last)) * (WIDTH - LEFT - RIGHT);
  const y = (share: number): number => HEIGHT - BOTTOM - (share / top) * (HEIGHT - TOP - BOTTOM);
  const path = curve.map(
    ({ microBatches: m, bubble: b }, i) => `${i === 0 ? 'M' : 'L'}${x(m).toFixed(1)} ${y(b).toFixed(1)}`,
  );
  const powers = [1, 2, 4, 8, 16, 32, 64].filter((m) => m <= last);
  const quarters = [0, 0.25, 0.5, 0.75, 1].filter((share) => share <= top);
  const here = `here, M = ${microBatches}`;
  const toLeft = x(microBatches) > WIDTH - 100;
  return (
    <svg
      className={styles['curve']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Bubble against micro-batches: ${curve.map((p) => `${p.microBatches}: ${percentText(p.bubble)}`).join(', ')}`}
    >
      {quarters.map((share) => (
        <g key={share}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} className={styles['grid']} />
          <text x={LEFT - 5} y={y(share) + 4} textAnchor="end">
            {`${100 * share} %`}
          </text>
        </g>
      ))}
      {powers.map((m) => (
        <text key={m} x={x(m)} y={HEIGHT - BOTTOM + 13} textAnchor="middle">
          {m}
        </text>
      ))}
      <text x={WIDTH - RIGHT} y={HEIGHT - 4} textAnchor="end">
        micro-batches M
      </text>
      <path d={path.join('')} className={styles['line']} />
      {measured !== undefined && <circle cx={x(microBatches)} cy={y(measured)} r={4} className={styles['measured']} />}
      <circle cx={x(microBatches)} cy={y(bubble)} r={3.5} className={styles['here']} />
      <text
        x={x(microBatches) + (toLeft ? -8 : 8)}
        y={Math.max(TOP + 4, y(Math.max(bubble, measured ?? 0)) - 6)}
        textAnchor={toLeft ? 'end' : 'start'}
        className={styles['word']}
      >
        {here}
      </text>
    </svg>
  );
}
