/** The line above the lanes: the step, its clock and hardware, the meaning of the patterns, and the zoom buttons. */
import type { ReactNode } from 'react';
import { stepWords } from '../../protocol/micro-batches';
import type { Clock } from '../../protocol/trace';
import { capital } from '../../trace/capital';
import { formatCount, stepNumber } from '../draw/format';
import { ClockChoice } from '../lanes/clock-choice';
import { clockLabel } from '../lanes/clock-label';
import styles from '../lanes/head.module.css';
import { Key } from '../lanes/key';
import { ZoomButtons } from '../lanes/zoom-buttons';
import type { App } from '../state/app-state';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { stepShown, trainingAt } from '../transport/positions';

const CLOCKS: readonly Clock[] = ['modelled', 'measured'];
const LOOKS = [
  [
    'hidden',
    <>
      hidden<span className={styles['roomy']}> behind computation</span>
    </>,
  ],
  ['exposed', 'exposed'],
  ['idle', 'idle'],
] as const;

/** Words for a run at full speed, which is ahead of the steps that can be shown. */
function aheadWords(app: App): string | undefined {
  if (app.standstill && (app.traces.at(-1)?.microBatch ?? -1) + 1 < app.microBatch)
    return `the last traced step; training has reached step ${formatCount(stepShown(app, true))}`;
  return trainingAt(app) === undefined ? undefined : 'replayed while training runs ahead';
}

interface TimelineHeadProps {
  /** Zooms by a factor: above 1 enlarges; 0 shows the whole step. */
  readonly onZoom: (factor: number) => void;
  /** Further content of the line. */
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
      <ClockChoice
        legend="Clock"
        name="clock"
        clocks={CLOCKS}
        clock={clock}
        onClock={(next) => store.getState().setClock(next)}
      />
      {info && (
        <span className={styles['label']} title={clockLabel(clock, info)}>
          {clockLabel(clock, info)}
        </span>
      )}
      {info && info.worldSize > 1 && <Key entries={LOOKS} className={styles['key']} />}
      <ZoomButtons onZoom={onZoom} whole="Show the whole step" />
      {children}
    </div>
  );
}
