/**
 * The result column for a run with a schedule: the schedule's text, its bubble, measured and in closed form, the length
 * of the step, and the most activations that each rank keeps.
 */
import { useMemo } from 'react';
import { partsOf } from '../../schedules/cell';
import { usePalette } from '../draw/canvas-context';
import { formatTime, NONE } from '../draw/format';
import { useApp, useSettled } from '../state/use-app';
import { BubbleCurve } from './bubble-curve';
import { bubbleFacts } from './bubble-facts';
import { createCursorOnPicture } from './cursor-on-picture';
import styles from './facts.module.css';
import { keptBytes } from './kept-bytes';
import { KeptSquares } from './kept-squares';
import { pictureOfSchedule } from './picture';
import { pictureOfTrace } from './picture-of-trace';
import { titlesOf } from './row-titles';
import { ScheduleText } from './schedule-text';
import { type RunSchedule, useRunSchedule } from './use-run-schedule';
import { percentText, timeText } from './why-bubble';

const EVERY_MS = 150;

export function ScheduleFacts() {
  const run = useRunSchedule();
  return run && <Facts run={run} />;
}

function Facts({ run }: { readonly run: RunSchedule }) {
  const { schedule, replicas } = run;
  const palette = usePalette();
  const clock = useApp((app) => app.clock);
  const buffers = useApp((app) => app.info?.buffers);
  const [trace, cursor] = useSettled(
    (app) => [app.cursor && app.traces[app.cursor.trace], app.cursor] as const,
    EVERY_MS,
  );
  const facts = useMemo(() => bubbleFacts(schedule), [schedule]);
  const planned = useMemo(() => pictureOfSchedule(schedule), [schedule]);
  const titles = useMemo(() => titlesOf(schedule, replicas, palette), [schedule, replicas, palette]);
  const replica = useMemo(() => ({ index: 0, of: replicas }), [replicas]);
  const ran = useMemo(() => {
    const picture = trace && pictureOfTrace(trace, clock, schedule, replica);
    return picture?.rows.some(({ cells }) => cells.length > 0) ? picture : undefined;
  }, [trace, clock, schedule, replica]);
  const bytes = useMemo(
    () => (trace && buffers ? keptBytes(trace, buffers, replica) : new Map<number, number>()),
    [trace, buffers, replica],
  );
  const cursorAt = useMemo(() => trace && ran && createCursorOnPicture(trace, clock, ran, ran), [trace, clock, ran]);
  const under = cursor && cursorAt?.({ event: cursor.event, fraction: 1 }).lit;
  const lit = schedule.orders.map((_, rank) => [...(under ?? [])].findLast((cell) => cell.rank === rank)?.index);
  const name = facts.name ?? 'Your schedule';
  const isSplit = schedule.orders.some((order) => order.flatMap(partsOf).some(({ kind }) => kind === 'I'));
  return (
    <div className={styles['facts']}>
      <ScheduleText title={schedule.name ? name : 'Your schedule'} schedule={schedule} titles={titles} lit={lit} />
      <section className={styles['block']} aria-label="Bubble">
        <h3>Bubble: how long ranks are idle</h3>
        <div className={styles['pair']}>
          <div>
            <b role="status" aria-label="Bubble of the schedule">
              {percentText(facts.bubble)}
            </b>
            <p>
              {facts.formula ? `by the formula ${facts.formula}` : 'counted; no formula is known'}; messages take no
              time, F takes 1, {isSplit ? 'I 1, W 1' : 'B 2'}
            </p>
          </div>
          <div data-measured>
            <b role="status" aria-label="Bubble of this step">
              {ran ? percentText(ran.bubble) : NONE}
            </b>
            <p>in this step, {clock}, messages included</p>
          </div>
        </div>
        {facts.curve.length > 1 && (
          <BubbleCurve facts={facts} microBatches={schedule.microBatches} measured={ran?.bubble} />
        )}
        <p>
          From the first action to the last: {timeText(facts.makespan, 'units')}
          {facts.makespanFormula ? ` = ${facts.makespanFormula}` : ''}
          {ran ? `; ${formatTime(ran.to - ran.from)} in this step, ${clock}` : ''}.
        </p>
      </section>
      <KeptSquares schedule={schedule} titles={titles} peaks={planned.rows.map(({ peak }) => peak)} bytes={bytes} />
    </div>
  );
}
