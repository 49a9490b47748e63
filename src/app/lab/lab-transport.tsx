/** Steps through the rounds: buttons, a slider, and the pace of playing. The keys are in lab.tsx. */
import type { LabResult } from '../../protocol/lab';
import styles from './lab.module.css';

interface LabTransportProps {
  readonly result: LabResult;
  readonly position: number;
  readonly playing: boolean;
  readonly go: (position: number) => void;
  readonly toggle: () => void;
}

export function LabTransport({ result, position, playing, go, toggle }: LabTransportProps) {
  const last = result.rounds.length;
  return (
    <div className={styles['transport']}>
      <button type="button" aria-label="To the start" title="To the start (Home)" onClick={() => go(0)}>
        |◀
      </button>
      <button
        type="button"
        aria-label="One round back"
        title="One round back (,)"
        disabled={position === 0}
        onClick={() => go(position - 1)}
      >
        ◀
      </button>
      <button
        type="button"
        className={styles['play']}
        aria-label={playing ? 'Pause the rounds' : 'Play the rounds'}
        title={playing ? 'Pause (Space)' : 'Play (Space)'}
        disabled={last === 0}
        onClick={toggle}
      >
        {playing ? '❚❚' : '▶'}
      </button>
      <button
        type="button"
        aria-label="One round forward"
        title="One round forward (.)"
        disabled={position >= last}
        onClick={() => go(position + 1)}
      >
        ▶
      </button>
      <button type="button" aria-label="To the end" title="To the end (End)" onClick={() => go(last)}>
        ▶|
      </button>
      <input
        type="range"
        aria-label="Round"
        aria-valuetext={position === 0 ? 'start' : `round ${position} of ${last}`}
        min={0}
        max={Math.max(1, last)}
        step={1}
        value={position}
        disabled={last === 0}
        onChange={(event) => go(Number(event.target.value))}
      />
      <output aria-label="Round shown">{position === 0 ? 'start' : `${position} of ${last}`}</output>
    </div>
  );
}
