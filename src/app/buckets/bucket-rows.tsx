/**
 * How buckets fill and are reduced: one row per bucket in the order of launching, below the backward pass of rank 0.
 * Grey steps are arrived gradients, dots are waiting, a filled bar is the all-reduce, striped while computation hides
 * it, as in the timeline. Pointing at a row, or moving to it by Tab, highlights its events in the timeline.
 */
import { useMemo, useRef } from 'react';
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { busyIntervals } from '../../trace/idle';
import { endUs, spanOf, totalUs } from '../../trace/lanes';
import { formatSize, formatTime } from '../draw/format';
import { useSize } from '../draw/use-surface';
import { eventLabels } from '../lanes/event-label';
import { Key } from '../lanes/key';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { type BucketTimes, waitText } from './bucket-times';
import styles from './buckets.module.css';

interface BucketRowsProps {
  readonly trace: StepTrace;
  readonly clock: Clock;
  readonly times: readonly BucketTimes[];
}

/** The approximate width of a letter in a label. */
const LETTER = 6.3;
const ROW = 30;
const BACKWARD = 20;
const AXIS = 16;
const WAITING = 'bucket-waiting';
const HIDDEN = 'bucket-hidden';

export function BucketRows({ trace, clock, times }: BucketRowsProps) {
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host);
  const store = useAppStore();
  const lit = useApp((app) => app.hoveredBucket);
  const pointed = useSettled((app) => {
    const event =
      app.hovered === undefined ? undefined : (app.cursor && app.traces[app.cursor.trace])?.events[app.hovered];
    return event?.bucket;
  }, 60);
  const left = width < 520 ? 64 : 108;
  const backward = useMemo(
    () =>
      trace.events.flatMap((e, i) =>
        e.device === 0 && e.phase === 'backward' && e.kind === 'compute' ? [{ e, span: spanOf(trace, clock, i) }] : [],
      ),
    [trace, clock],
  );
  const busy = useMemo(() => busyIntervals(trace, clock, 0, 'compute'), [trace, clock]);
  const from = Math.min(...backward.map(({ span }) => span.startUs), ...times.map((t) => t.reduceStartUs));
  const to = Math.min(totalUs(trace, clock), Math.max(...times.map((t) => t.reduceEndUs)) * 1.02);
  const x = (us: number) => left + ((us - from) / Math.max(1e-9, to - from)) * Math.max(1, width - left - 6);
  const hover = (index: number | undefined) => store.getState().hoverBucket(index);
  const height = BACKWARD + times.length * ROW + AXIS;
  return (
    <div ref={host} className={styles['figure']}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a picture has no fieldset
        <svg width={width} height={height} role="group" aria-label="How the buckets fill and are reduced">
          <Patterns />
          <text x={0} y={13} className={styles['soft']}>
            backward
          </text>
          {backward.map(({ e, span }) => (
            <Kernel key={e.id} event={e} x={x(span.startUs)} width={x(endUs(span)) - x(span.startUs)} />
          ))}
          {times.map((bucket, row) => (
            <Row
              key={bucket.index}
              bucket={bucket}
              y={BACKWARD + row * ROW}
              x={x}
              width={width}
              from={from}
              hidden={busy}
              lit={lit === bucket.index || pointed === bucket.index}
              hover={hover}
            />
          ))}
          <text x={left} y={height - 3} className={styles['soft']}>
            {formatTime(from)}
          </text>
          <text x={width - 4} y={height - 3} textAnchor="end" className={styles['soft']}>
            {formatTime(to)}
          </text>
        </svg>
      )}
      <Key entries={LOOKS} className={styles['key']} />
    </div>
  );
}

const LOOKS = [
  ['filling', 'gradients that are ready'],
  ['idle', 'ready, waiting'],
  ['hidden', 'all-reduce hidden behind computation'],
  ['exposed', 'exposed'],
] as const;

const Patterns = () => (
  <defs>
    <pattern id={WAITING} width={4} height={4} patternUnits="userSpaceOnUse">
      <rect width={4} height={4} className={styles['waitingGround']} />
      <circle cx={2} cy={2} r={0.9} className={styles['dot']} />
    </pattern>
    <pattern id={HIDDEN} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={5} height={5} className={styles['hiddenGround']} />
      <path d="M2.5 0V5" className={styles['stripe']} />
    </pattern>
  </defs>
);

interface KernelProps {
  readonly event: TraceEvent;
  readonly x: number;
  readonly width: number;
}

/** A kernel of the backward pass, with its longest name that fits. */
function Kernel({ event, x, width }: KernelProps) {
  return (
    <g>
      <rect
        x={x}
        y={3}
        width={Math.max(0.6, width - 0.6)}
        height={13}
        rx={2}
        className={event.name.startsWith('ddp/') ? styles['pack'] : styles['compute']}
      />
      {width > 40 && (
        <text x={x + 4} y={13} className={styles['small']}>
          {eventLabels(event).find((label) => LETTER * label.length < width - 6)}
        </text>
      )}
    </g>
  );
}

interface RowProps {
  readonly bucket: BucketTimes;
  readonly y: number;
  readonly x: (us: number) => number;
  readonly width: number;
  readonly from: number;
  readonly hidden: readonly { readonly startUs: number; readonly endUs: number }[];
  readonly lit: boolean;
  readonly hover: (index: number | undefined) => void;
}

function Row({ bucket, y, x, width, from, hidden, lit, hover }: RowProps) {
  const { index, bytes, arrivals, packedUs, reduceStartUs, reduceEndUs } = bucket;
  const height = ROW - 11;
  const bottom = y + height + 4;
  const step = height / Math.max(1, arrivals.length);
  // Each arriving gradient raises the filling by one parameter's share.
  const stairs = arrivals.map(({ atUs }, k) => `H${x(atUs)} V${bottom - step * (k + 1)}`).join(' ');
  const until = Math.max(packedUs, reduceStartUs);
  const text =
    `bucket ${index}, ${formatSize(bytes)}, ${arrivals.length} gradients, full at ${formatTime(bucket.fullUs)}, ` +
    `all-reduce from ${formatTime(reduceStartUs)} to ${formatTime(reduceEndUs)}; ${waitText(bucket)}`;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the keyboard lights its events, too
    <g
      role="img"
      aria-label={text}
      tabIndex={0}
      className={styles['row']}
      data-lit={lit || undefined}
      onPointerEnter={() => hover(index)}
      onPointerLeave={() => hover(undefined)}
      onFocus={() => hover(index)}
      onBlur={() => hover(undefined)}
    >
      <title>{text}</title>
      <rect x={0} y={y + 1} width={width} height={ROW - 3} rx={4} className={styles['ground']} />
      <text x={4} y={y + 13} className={styles['name']}>
        bucket {index}
      </text>
      <text x={4} y={y + 24} className={styles['soft']}>
        {formatSize(bytes)}
      </text>
      {stairs !== '' && (
        <path d={`M${x(from)} ${bottom} ${stairs} H${x(until)} V${bottom} Z`} className={styles['filling']} />
      )}
      {reduceStartUs > packedUs + 1e-6 && (
        <rect
          x={x(packedUs)}
          y={bottom - height}
          width={Math.max(1, x(reduceStartUs) - x(packedUs))}
          height={height}
          fill={`url(#${WAITING})`}
        />
      )}
      <rect
        x={x(reduceStartUs)}
        y={bottom - height}
        width={Math.max(1.5, x(reduceEndUs) - x(reduceStartUs))}
        height={height}
        rx={2}
        className={styles['exposed']}
      />
      {hidden.flatMap((interval) => {
        const start = Math.max(interval.startUs, reduceStartUs);
        const end = Math.min(interval.endUs, reduceEndUs);
        if (end <= start) return [];
        return [
          <rect
            key={interval.startUs}
            x={x(start)}
            y={bottom - height}
            width={x(end) - x(start)}
            height={height}
            rx={2}
            fill={`url(#${HIDDEN})`}
          />,
        ];
      })}
    </g>
  );
}
