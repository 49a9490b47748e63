/**
 * The bucket view: the cap, which parameter is in which bucket before and after the rebuild, how buckets fill and wait
 * in the step at the cursor, and what overlap saves.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { stepWords } from '../../protocol/micro-batches';
import type { BucketsInfo } from '../../protocol/session-info';
import { capital } from '../../trace/capital';
import { stepNumber } from '../draw/format';
import { withSetting } from '../edit/edit-config';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import { BucketMap } from './bucket-map';
import { BucketRows } from './bucket-rows';
import { BucketTable } from './bucket-table';
import { bucketsOfStep, bucketTimes } from './bucket-times';
import styles from './buckets.module.css';
import { CAP_STOPS, capText, stopOf } from './cap-stops';
import { OverlapSaving } from './overlap-saving';

const APPLY_AFTER_MS = 180;

export function BucketPanel({ info }: { info: BucketsInfo }) {
  const clock = useApp((app) => app.clock);
  const overlap = useApp((app) => app.config.ddp.overlap);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 120);
  const buckets = useMemo(() => bucketsOfStep(info, trace?.kind), [info, trace]);
  const times = useMemo(
    () => (trace ? bucketTimes(trace, clock, 0, buckets, overlap) : []),
    [trace, clock, buckets, overlap],
  );
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    root.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const early = info.rebuilt !== undefined && buckets === info.initial;
  return (
    <div ref={root} className={styles['panel']}>
      <div className={styles['side']}>
        <CapSlider />
        <OverlapSaving />
      </div>
      <section className={styles['rows']} aria-label="Buckets of the step">
        <h3>
          {trace ? capital(stepWords(trace.microBatch, trace, stepNumber)) : 'No step has run'}, rank 0, {clock} time
          {early ? ': still the buckets that the constructor made' : ''}
        </h3>
        {early && (
          <p className={styles['note']}>
            The first step is an exception: DDP does not know the order of the gradients yet, so it starts with{' '}
            {info.initial.length === 1
              ? 'one bucket for all gradients, and no part of its all-reduce can be hidden'
              : 'a guess'}
            . After this backward, DDP rebuilds its buckets by the cap.
          </p>
        )}
        {trace && times.length > 0 ? (
          <BucketRows trace={trace} clock={clock} times={times} />
        ) : (
          <p className={styles['note']}>Nothing is reduced in this step.</p>
        )}
        <BucketTable times={times} buckets={buckets} />
      </section>
      <BucketMap info={info} />
    </div>
  );
}

function CapSlider() {
  const config = useApp((app) => app.config);
  const locked = useApp((app) => app.lock.has('cluster') || app.lock.has('setup'));
  const controller = useController();
  const cap = config.ddp.bucketCapMb;
  const [stop, setStop] = useState(() => stopOf(cap));
  const [moved, setMoved] = useState(false);
  useEffect(() => {
    if (!moved) setStop(stopOf(cap));
  }, [cap, moved]);
  useEffect(() => {
    if (!moved) return;
    const timer = setTimeout(() => {
      setMoved(false);
      const edit = withSetting(config, ['ddp', 'bucketCapMb'], CAP_STOPS[stop]);
      if (edit.ok) controller.apply(edit.config);
    }, APPLY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [moved, stop, config, controller]);
  const text = capText(moved ? CAP_STOPS[stop] : cap);
  return (
    <label className={styles['cap']}>
      <span>bucket_cap_mb</span>
      <b>{text}</b>
      <input
        type="range"
        aria-label="Bucket cap"
        aria-valuetext={text === 'default' ? 'default: 1 MiB for the first bucket, then 25 MiB' : text}
        min={0}
        max={CAP_STOPS.length - 1}
        step={1}
        value={stop}
        disabled={locked}
        onChange={(event) => {
          setStop(Number(event.target.value));
          setMoved(true);
        }}
      />
    </label>
  );
}
