/** Moves the cursor through the kept steps: a bar per step, and one slider over all their moments. */
import { useMemo } from 'react';
import { stepWords } from '../../protocol/micro-batches';
import type { StepTrace } from '../../protocol/trace';
import { lastOf } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { laterPanel } from '../boundary/loaded-panel';
import { formatRate, stepNumber } from '../draw/format';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import { runsFreely } from '../transport/positions';
import styles from './scrubber.module.css';

const StepsStrip = laterPanel('The kept steps', async () => (await import('./steps-strip')).StepsStrip);

/** Position at which each trace begins, and the end; a trace of n moments has n + 1 positions. */
function startsOf(traces: readonly StepTrace[]): readonly number[] {
  const starts = [0];
  for (const trace of traces) starts.push((starts.at(-1) ?? 0) + momentsOf(trace).length + 1);
  return starts;
}

/** 0 before the first moment; otherwise the number of the cursor's moment, counted from 1. */
const placeOf = (trace: StepTrace, event: number): number =>
  event < 0 ? 0 : momentsOf(trace).findIndex((moment) => event <= lastOf(moment)) + 1;

export function Scrubber() {
  const traces = useApp((app) => app.traces);
  const cursor = useSettled((app) => app.cursor, 50);
  const locked = useApp((app) => app.lock.has('transport'));
  const rate = useSettled((app) => (runsFreely(app) && !app.standstill ? app.stepsPerSecond : 0), 500);
  const { player } = useController();
  const starts = useMemo(() => startsOf(traces), [traces]);
  const last = (starts.at(-1) ?? 1) - 1;
  const trace = cursor && traces[cursor.trace];
  const place = trace ? placeOf(trace, cursor.event) : 0;
  const position = cursor ? (starts[cursor.trace] ?? 0) + place : 0;
  const seek = (to: number) => {
    const index = Math.max(
      0,
      starts.findLastIndex((start) => start <= to),
    );
    const found = traces[Math.min(index, traces.length - 1)];
    const moment = found && momentsOf(found)[to - (starts[index] ?? 0) - 1];
    player.seek(Math.min(index, traces.length - 1), moment ? lastOf(moment) : -1);
  };
  const at = trace
    ? `${stepWords(trace.microBatch, trace, stepNumber)}, moment ${place} of ${momentsOf(trace).length}`
    : 'nothing has run yet';
  return (
    <div className={styles['scrubber']}>
      <StepsStrip />
      <input
        type="range"
        aria-label="Scrub"
        aria-valuetext={at}
        min={0}
        max={Math.max(1, last)}
        step={1}
        value={Math.min(position, Math.max(1, last))}
        disabled={locked || traces.length === 0}
        onChange={(event) => seek(Number(event.target.value))}
      />
      <span>
        {at}
        {rate > 0 && (
          <>
            {'; training at '}
            <b role="status" aria-live="off" aria-label="Steps per second">
              {formatRate(rate)}
            </b>
            {' steps/s'}
          </>
        )}
      </span>
    </div>
  );
}
