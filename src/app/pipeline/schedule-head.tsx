/** The line above the pipeline picture: the clock, the legend of the cells, the replica, and the zoom buttons. */
import type { ReactNode } from 'react';
import { COMPUTATIONS } from '../../protocol/pipeline';
import type { Clock } from '../../protocol/trace';
import { ClockChoice } from '../lanes/clock-choice';
import head from '../lanes/head.module.css';
import { type ViewWindow, zoomedBy } from '../lanes/view-window';
import { ZoomButtons } from '../lanes/zoom-buttons';
import type { Picture } from './picture';
import styles from './pipeline.module.css';

export type PictureClock = Clock | 'units';

interface ScheduleHeadProps {
  readonly clock: PictureClock;
  readonly clocks: readonly PictureClock[];
  readonly label: string;
  readonly onClock: (clock: PictureClock) => void;
  readonly view: ViewWindow;
  readonly onView: (view: ViewWindow) => void;
  readonly replica: number;
  /** Number of pipelines that run side by side, and number of ranks in each. */
  readonly replicas: number;
  readonly pipelineRanks: number;
  readonly onReplica: (replica: number) => void;
  /** The picture whose kinds of cells the legend lists. */
  readonly kinds: Picture;
  readonly chunks: readonly number[];
  readonly children: ReactNode;
}

export function ScheduleHead(props: ScheduleHeadProps) {
  const { clock, clocks, label, onClock, replica, replicas, pipelineRanks, onReplica } = props;
  return (
    <div className={head['head']}>
      <ClockChoice
        legend="Clock of the schedule"
        name="schedule-clock"
        clocks={clocks}
        clock={clock}
        onClock={onClock}
      />
      <span className={`${head['label']} ${styles['unit']}`} title={label}>
        {label}
      </span>
      {replicas > 1 && (
        <label className={styles['replica']}>
          ranks{' '}
          <select value={replica} onChange={(event) => onReplica(Number(event.target.value))}>
            {Array.from({ length: replicas }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a replica is its index
              <option key={index} value={index}>
                {index}, {replicas + index}
                {pipelineRanks > 2 && ', …'}
              </option>
            ))}
          </select>
        </label>
      )}
      <Legend picture={props.kinds} chunks={props.chunks} />
      <ZoomButtons whole="Show the whole step" onZoom={(factor) => props.onView(zoomedBy(props.view, factor))} />
      {props.children}
    </div>
  );
}

const KIND_NAMES = { F: 'forward', B: 'backward', I: 'input gradient', W: 'weight gradient' } as const;

interface LegendProps {
  readonly picture: Picture;
  readonly chunks: readonly number[];
}

export function Legend({ picture, chunks }: LegendProps) {
  const there = new Set(picture.rows.flatMap(({ cells }) => cells.map(({ action }) => action.kind)));
  return (
    <span className={styles['legend']}>
      {COMPUTATIONS.filter((kind) => there.has(kind)).map((kind) => (
        <span key={kind}>
          <i data-kind={kind}>{kind}</i>
          {KIND_NAMES[kind]}
        </span>
      ))}
      <span>
        <i data-kind="bubble" />
        bubble
      </span>
      <span>
        <i data-kind="kept" />
        kept for backward
      </span>
      {chunks.some((chunk) => chunk > 0) && <span>darker: later stage of the rank</span>}
    </span>
  );
}
