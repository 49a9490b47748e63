/** One slider over every event of every kept step: the way back and forth through what has run. */
import { useMemo } from 'react';
import styles from './scrubber.module.css';
import { useApp, useController, useSettled } from './use-app';

export function Scrubber() {
  const traces = useApp((app) => app.traces);
  const cursor = useSettled((app) => app.cursor, 50);
  const locked = useApp((app) => app.lock.has('transport'));
  const { player } = useController();
  /** Position at which each trace begins; a trace of n events has n + 1 positions. */
  const starts = useMemo(() => {
    let total = 0;
    return [...traces.map(({ events }) => (total += events.length + 1) - events.length - 1), total];
  }, [traces]);
  const last = (starts.at(-1) ?? 1) - 1;
  const position = cursor ? (starts[cursor.trace] ?? 0) + cursor.event + 1 : 0;
  const trace = cursor && traces[cursor.trace];
  const seek = (to: number) => {
    const index = Math.max(0, starts.findLastIndex((start) => start <= to));
    player.seek(Math.min(index, traces.length - 1), to - (starts[index] ?? 0) - 1);
  };
  const at = trace ? `step ${trace.step}, event ${(cursor?.event ?? -1) + 1} of ${trace.events.length}` : 'nothing has run yet';
  return (
    <div className={styles['scrubber']}>
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
        {traces.length > 1 && trace && `, ${traces.length} steps kept`}
      </span>
    </div>
  );
}
