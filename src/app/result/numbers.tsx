/**
 * The headline numbers, each with one line that says what it is: bytes beside their closed form, how much communication is hidden,
 * who idles, memory, and how far the replicas and the single device are apart. From the trace at the cursor and the newest snapshot.
 */
import { type ReactNode, useMemo } from 'react';
import { metricsOf } from '../../trace/metrics';
import { formatBytes, formatPercent, formatSize, formatSmall, NONE } from '../format';
import { useApp, useSettled } from '../use-app';
import { DeviceTable } from './device-table';
import styles from './result.module.css';
import { Status } from './scores';

const EVERY_MS = 150;

export function Numbers() {
  const info = useApp((app) => app.info);
  const clock = useApp((app) => app.clock);
  const snapshot = useSettled((app) => app.snapshot, EVERY_MS);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], EVERY_MS);
  const metrics = useMemo(() => {
    // The trace of a mode that has just been left does not fit the new one's formula.
    const fits = trace && info && trace.initial.length === info.worldSize;
    return fits ? metricsOf(trace, clock, info) : undefined;
  }, [trace, clock, info]);
  const single = info?.config.mode === 'single';
  return (
    <>
      <div className={styles['numbers']}>
        <Headline wide name="Bytes per rank" text={metrics ? formatBytes(metrics.bytesPerRank) : NONE}>
          {metrics ? `sent a step${metrics.bytesAgree ? '' : ', not'} = ${metrics.formula.text}` : 'sent a step by the busiest device'}
        </Headline>
        <Headline name="Replica divergence" text={formatSmall(snapshot?.replicaDivergence)}>
          max |w<sub>i</sub> − w<sub>j</sub>| between replicas
        </Headline>
        <Headline name="Overlap" text={formatPercent(metrics?.overlap)}>
          of communication hidden behind computation, {clock}
        </Headline>
        <Headline
          name="Difference from single device"
          text={single ? '0' : formatSmall(snapshot?.differenceFromSingle)}
        >
          {single ? 'this is the single device' : 'max |Δw| against one device, same seed'}
        </Headline>
        <Headline name="Idle" text={formatPercent(metrics?.idle)}>
          of the step, mean over devices, {clock}
        </Headline>
        <Headline name="Peak memory" text={metrics ? formatSize(Math.max(...metrics.peakBytes)) : NONE}>
          live tensors on the fullest device
        </Headline>
      </div>
      {metrics && <DeviceTable metrics={metrics} />}
    </>
  );
}

interface HeadlineProps {
  readonly name: string;
  readonly text: string;
  /** Takes the whole row: the definition is long. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

function Headline({ name, text, wide = false, children }: HeadlineProps) {
  return (
    <div data-wide={wide || undefined}>
      <b>
        <Status name={name} text={text} />
      </b>
      <p>{children}</p>
    </div>
  );
}
