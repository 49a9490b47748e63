/** The draft's length, bubble and memory, beside those of the known schedules of the same size. */
import { useMemo } from 'react';
import { SCHEDULE_NAMES, type ScheduleName } from '../../protocol/pipeline';
import { makeSchedule, type Schedule } from '../../schedules/schedule';
import { isSize } from '../../schedules/size-rules';
import { timingOf } from '../../schedules/timing';
import { NONE } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { type Draft, scheduleOfDraft } from './draft';
import styles from './pipeline.module.css';
import { percentText } from './why-bubble';

interface Row {
  readonly name: string;
  readonly makespan: number;
  readonly bubble: number;
  /** The most activations that any rank keeps at once. */
  readonly kept: number;
}

const rowOf = (name: string, schedule: Schedule): Row => {
  const { makespan, bubble, peakLive } = timingOf(schedule);
  return { name, makespan, bubble, kept: Math.max(...peakLive) };
};

/** torch's schedules that exist for this number of ranks, stages and micro-batches. */
export function knownSchedules({ ranks, stages, microBatches }: Draft['size']): readonly (Schedule & {
  readonly name: ScheduleName;
})[] {
  const shape = { ranks, stagesPerRank: stages / ranks, microBatches };
  return SCHEDULE_NAMES.filter((name) => isSize(name, shape)).map((name) => ({
    ...makeSchedule({ name, ...shape }),
    name,
  }));
}

export function Score({ draft, isLegal }: { readonly draft: Draft; readonly isLegal: boolean }) {
  const known = useMemo(
    () => knownSchedules(draft.size).map((schedule) => rowOf(schedule.name, schedule)),
    [draft.size],
  );
  const own = useMemo(() => (isLegal ? rowOf('yours', scheduleOfDraft(draft)) : undefined), [draft, isLegal]);
  return (
    <table className={styles['score']} aria-label="Score">
      <ColumnHeads names={['Schedule', 'units', 'bubble', 'kept']} />
      <tbody>
        <tr data-own>
          <th scope="row">yours</th>
          <td>{own?.makespan ?? NONE}</td>
          <td>{own ? percentText(own.bubble) : NONE}</td>
          <td>{own?.kept ?? NONE}</td>
        </tr>
        {known.map(({ name, makespan, bubble, kept }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{makespan}</td>
            <td>{percentText(bubble)}</td>
            <td>{kept}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
