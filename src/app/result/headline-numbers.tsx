/**
 * The headline numbers, each with one line of explanation: bytes beside their closed form, the hidden share of
 * communication, the shares of the step's time, memory, and the differences between the replicas and from one device.
 * They come from the trace at the cursor and from the run's reports so far.
 */
import { type ReactNode, useMemo } from 'react';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import type { SessionInfo } from '../../protocol/session-info';
import type { DifferenceAt } from '../../protocol/snapshot';
import { hasMicroBatch } from '../../protocol/step-kind';
import type { StepTrace } from '../../protocol/trace';
import { type Metrics, metricsOf } from '../../trace/metrics';
import { loadedPanel } from '../boundary/loaded-panel';
import { formatBytes, formatCount, formatPercent, formatSize, formatSmall, formatTime, NONE } from '../draw/format';
import { unbroken } from '../draw/unbroken';
import { headline } from '../state/difference-history';
import { useSettled } from '../state/use-app';
import { Term } from '../terms/term';
import { differenceCause } from './difference/difference-cause';
import { DifferenceGrowth } from './difference/difference-growth';
import styles from './result.module.css';
import { Status } from './scores';
import { StepSharesView } from './step-shares';

const EVERY_MS = 150;

const Tables = loadedPanel('The tables of numbers', async () => (await import('./device-tables')).Tables);

/** `children`: further parts of the result, shown before the tables that few users need. */
export function Numbers({ children }: { children: ReactNode }) {
  const snapshot = useSettled((app) => app.snapshot, EVERY_MS);
  const differences = useSettled((app) => app.differences, EVERY_MS);
  const [trace, info, clock] = useSettled(
    ({ cursor, traces, info: of, clock: on }) => [cursor && traces[cursor.trace], of, on] as const,
    EVERY_MS,
  );
  const metrics = useMemo(() => trace && info && metricsOf(trace, clock, info), [trace, clock, info]);
  const single = info !== undefined && FACES[info.config.mode].oneDevice;
  const first = useMemo(() => headline(differences), [differences]);
  const scaler = trace?.losses.scaler;
  return (
    <>
      <div className={styles['numbers']}>
        <Headline wide name="Bytes per rank" text={metrics ? formatBytes(bytesPerRank(metrics)) : NONE}>
          {metrics && info ? unbroken(bytesText(metrics, info.config)) : 'sent per step'}
        </Headline>
        <Headline wide name="Overlap" text={formatPercent(metrics?.overlap)}>
          of communication <Term id="overlap">hidden</Term> behind computation, {clock}
          {trace && info && inOneBucket(trace, info) && exception}
        </Headline>
        <ReplicaDivergence info={info} value={snapshot?.replicaDivergence} />
        <Headline name="Difference from single device" text={single ? '0' : formatSmall(first?.value)}>
          {info ? differenceText(info.config, first, differences.at(-1)) : NONE}
        </Headline>
        <Headline wide name="Step time" text={metrics ? formatTime(metrics.stepUs) : NONE}>
          {clock === 'modelled' ? (
            <>modelled: {info && <Machine label={info.hardwareLabel} />}</>
          ) : (
            'measured, one instruction at a time'
          )}
        </Headline>
        {scaler && (
          <Headline
            wide
            name="Scale of the loss"
            text={scaler.scale < 1 ? formatSmall(scaler.scale) : formatCount(scaler.scale)}
          >
            scale of the loss{scaler.skipped ? ', lowered after a skipped step' : ''};{' '}
            {formatCount(scaler.skippedSteps)} {scaler.skippedSteps === 1 ? 'step' : 'steps'} skipped so far
          </Headline>
        )}
        <Headline
          wide
          name="Reserved memory"
          text={info ? formatSize(Math.max(...info.memory.map(({ peakBytes }) => peakBytes))) : NONE}
        >
          reserved on the fullest device
          {metrics && `; at most ${formatSize(Math.max(...metrics.allocatedBytes))} of it allocated in this step`}
        </Headline>
      </div>
      {metrics && <StepSharesView metrics={metrics} />}
      {children}
      {trace && metrics && info && <Tables trace={trace} metrics={metrics} memory={info.memory} />}
      <DifferenceGrowth />
    </>
  );
}

/** The machine's name. The page opens with a transputer, which few users know, so the word leads to its explanation. */
function Machine({ label }: { label: string }) {
  const [before, after] = label.split('transputer');
  if (after === undefined) return label;
  return (
    <>
      {before}
      <Term id="transputer">transputer</Term>
      {after}
    </>
  );
}

/** The difference between replicas, shown if a second device holds the same layers as the first. */
function ReplicaDivergence({ info, value }: { info: SessionInfo | undefined; value: number | undefined }) {
  const replicas = <Term id="replica">replicas</Term>;
  const none = info !== undefined && !hasReplicas(info);
  return (
    <Headline name="Replica divergence" text={none ? NONE : formatSmall(value)}>
      {none ? (
        <>no {replicas}: one device keeps each weight</>
      ) : (
        <>
          max |w<sub>i</sub> − w<sub>j</sub>| between {replicas}
        </>
      )}
    </Headline>
  );
}

/** Whether two devices keep the same layer between steps. */
function hasReplicas({ layersOfDevice, roles }: SessionInfo): boolean {
  const kept = layersOfDevice.flatMap((layers, device) => (roles[device]?.keepsState ? layers : []));
  return new Set(kept).size < kept.length;
}

/** Whether this step has the single bucket of all gradients that DDP's constructor made. */
const inOneBucket = ({ kind }: StepTrace, { buckets }: SessionInfo): boolean =>
  buckets?.rebuilt !== undefined &&
  buckets.rebuilt.length > 1 &&
  buckets.initial.length === 1 &&
  hasMicroBatch(kind, ({ beforeRebuild }) => beforeRebuild);

const exception = '. The first step has a single bucket, which DDP rebuilds after it';

function differenceText(config: Config, first: ReturnType<typeof headline>, newest: DifferenceAt | undefined): string {
  if (FACES[config.mode].oneDevice) return 'this is the single device';
  if (!config.compareSingle) return 'from one device: not compared in this run (compareSingle)';
  const done = first?.done ?? 0;
  const after = done > 0 ? ` after ${formatCount(done)} ${done === 1 ? 'step' : 'steps'}` : '';
  const now =
    first && newest && newest.step > first.step && newest.value > 0 ? `; ${formatSmall(newest.value)} by now` : '';
  // A difference of 0 needs no cause: model parallel does the same operations in the same order.
  const cause = done > 0 && newest?.value === 0 ? '' : `: ${differenceCause(config)}`;
  return `max |Δw| from one device${after}${cause}${now}`;
}

/**
 * If ranks send equal bytes except for the rounding of chunks, their mean, as in the formula; else the busiest
 * device's.
 */
const bytesPerRank = ({ formula, traffic, bytesPerRank: most }: Metrics): number =>
  formula.exact ? most : traffic.total / Math.max(1, traffic.sent.length);

const bytesText = ({ formula, bytesAgree, bytesBeside, traffic }: Metrics, config: Config): string => {
  const beside = formatBytes(bytesBeside / Math.max(1, traffic.sent.length));
  const others = bytesBeside === 0 ? '' : `; ${beside} of it are not in the formula${causesBeside(config)}`;
  return `sent per step${formula.exact ? '' : ', mean over ranks'}; ${bytesAgree ? '' : 'expected '}${formula.text}${others}`;
};

/** What else the run's settings send: ' (running statistics, clipping)'. */
function causesBeside({ model, ddp, clipGradNorm, gradScaler }: Config): string {
  const causes = [
    ...(batchNorms(model.layers) > 0 ? ['running statistics'] : []),
    ...(ddp.syncBatchNorm ? ['SyncBatchNorm'] : []),
    ...(ddp.join ? ['join'] : []),
    ...(clipGradNorm === undefined ? [] : ['clipping']),
    ...(gradScaler.enabled ? ['the gradient scaler'] : []),
  ];
  return causes.length === 0 ? '' : ` (${causes.join(', ')})`;
}

interface HeadlineProps {
  readonly name: string;
  readonly text: string;
  /** Takes the whole row, for a long definition. */
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
