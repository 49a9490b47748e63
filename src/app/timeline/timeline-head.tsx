/** The line above the lanes: which step, on which clock and hardware, what the patterns mean, and the zoom buttons. */
import type { ReactNode } from 'react';
import { stepWords } from '../../protocol/micro-batches';
import type { Clock } from '../../protocol/trace';
import { capital } from '../../trace/words';
import { formatCount, stepNumber } from '../draw/format';
import type { App } from '../state/store';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { stepShown, trainingAt } from '../transport/positions';
import { clockLabel } from './clock-label';
import styles from './timeline-head.module.css';

const CLOCKS: readonly Clock[] = ['modelled', 'measured'];

/** At full speed the run is ahead of the steps that can be shown. */
function aheadWords(app: App): string | undefined {
  if (app.standstill && (app.traces.at(-1)?.microBatch ?? -1) + 1 < app.microBatch)
    return `the last one that was traced; the run is after step ${formatCount(stepShown(app, true))}`;
  return trainingAt(app) === undefined ? undefined : 'replayed while training runs ahead';
}

interface TimelineHeadProps {
  /** > 1: larger; 0: the whole step. */
  readonly onZoom: (factor: number) => void;
  /** What else is on the line. */
  readonly children: ReactNode;
}

export function TimelineHead({ onZoom, children }: TimelineHeadProps) {
  const store = useAppStore();
  const clock = useApp((app) => app.clock);
  const info = useApp((app) => app.info);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 100);
  const ahead = useApp(aheadWords);
  return (
    <div className={styles['head']}>
      <h2>{trace ? capital(stepWords(trace.microBatch, trace, stepNumber)) : 'Step'}</h2>
      {ahead !== undefined && trace && <span className={styles['label']}>{ahead}</span>}
      <fieldset className={styles['clocks']}>
        <legend className="visually-hidden">Clock</legend>
        {CLOCKS.map((c) => (
          <label key={c}>
            <input
              type="radio"
              name="clock"
              value={c}
              checked={clock === c}
              onChange={() => store.getState().setClock(c)}
            />
            <span>{c}</span>
          </label>
        ))}
      </fieldset>
      {info && (
        <span className={styles['label']} title={clockLabel(clock, info)}>
          {clockLabel(clock, info)}
        </span>
      )}
      {info && info.worldSize > 1 && (
        <span className={styles['key']}>
          <span>
            <i data-kind="hidden" />
            hidden behind computation
          </span>
          <span>
            <i data-kind="exposed" />
            exposed
          </span>
          <span>
            <i data-kind="idle" />
            idle
          </span>
        </span>
      )}
      <span className={styles['zoom']}>
        <button type="button" aria-label="Zoom out" onClick={() => onZoom(1 / 1.6)}>
          −
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => onZoom(1.6)}>
          +
        </button>
        <button type="button" aria-label="Show the whole step" onClick={() => onZoom(0)}>
          fit
        </button>
      </span>
      {children}
    </div>
  );
}
