/**
 * The headline numbers, each with one line that says what it is: bytes beside their closed form, how much communication is hidden,
 * who idles, memory, and how far the replicas and the single device are apart. From the trace at the cursor and the newest snapshot.
 */
import { type ReactNode, useMemo } from 'react';
import type { Config } from '../../protocol/config';
import { type Metrics, metricsOf } from '../../trace/metrics';
import { formatBytes, formatPercent, formatSize, formatSmall, formatTime, NONE } from '../format';
import { useSettled } from '../use-app';
import { DeviceTable } from './device-table';
import { differenceCause } from './difference-cause';
import styles from './result.module.css';
import { Status } from './scores';

const EVERY_MS = 150;

export function Numbers() {
  const snapshot = useSettled((app) => app.snapshot, EVERY_MS);
  const [trace, info, clock] = useSettled(
    ({ cursor, traces, info: of, clock: on }) => [cursor && traces[cursor.trace], of, on] as const,
    EVERY_MS,
  );
  const metrics = useMemo(() => trace && info && metricsOf(trace, clock, info), [trace, clock, info]);
  const single = info?.config.mode === 'single';
  return (
    <>
      <div className={styles['numbers']}>
        <Headline wide name="Bytes per rank" text={metrics ? formatBytes(bytesPerRank(metrics)) : NONE}>
          {metrics ? bytesText(metrics) : 'sent a step'}
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
          {info ? differenceText(info.config) : NONE}
        </Headline>
        <Headline name="Idle" text={formatPercent(metrics?.idle)}>
          of the step idle, mean over devices, {clock}
        </Headline>
        <Headline name="Step time" text={metrics ? formatTime(metrics.stepUs) : NONE}>
          {clock === 'modelled' ? `modelled: ${info?.hardwareLabel ?? ''}` : 'measured, one instruction at a time'}
        </Headline>
        <Headline name="Peak memory" text={metrics ? formatSize(Math.max(...metrics.peakBytes)) : NONE}>
          live tensors on the fullest device
        </Headline>
      </div>
      {metrics && <DeviceTable metrics={metrics} />}
    </>
  );
}

const differenceText = (config: Config): string =>
  config.mode === 'single' ? 'this is the single device' : `max |Δw| against one device: ${differenceCause(config)}`;

/** Where ranks send alike but for the rounding of chunks, their mean is what the formula says; else the busiest device counts. */
const bytesPerRank = ({ formula, traffic, bytesPerRank: most }: Metrics): number =>
  formula.exact ? most : traffic.total / Math.max(1, traffic.sent.length);

const bytesText = ({ formula, bytesAgree, bytesBeside, traffic }: Metrics): string => {
  const beside = formatBytes(bytesBeside / Math.max(1, traffic.sent.length));
  const others = bytesBeside === 0 ? '' : `; ${beside} of it beside that (buffers, SyncBatchNorm, join, clipping)`;
  return `sent a step${formula.exact ? '' : ', mean over ranks'}; ${bytesAgree ? '' : 'expected '}${formula.text}${others}`;
};

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
