/**
 * The bubble of a schedule in closed form, and how it falls with the number of micro-batches. If no formula is known,
 * the bubble comes from the schedule's own clock. Pure.
 */
import type { ScheduleName } from '../../protocol/pipeline';
import { closedFormsOf } from '../../schedules/closed-form';
import { recognise } from '../../schedules/recognise';
import { makeSchedule, type Schedule } from '../../schedules/schedule';
import { isSize } from '../../schedules/size-rules';
import { timingOf } from '../../schedules/timing';

export interface BubbleFacts {
  /** The schedule of the formula and the curve: the run's, or the known schedule that equals it. */
  readonly name: ScheduleName | undefined;
  /** The bubble, 0 to 1, at F = 1, B = 2, I = W = 1 and free messages. */
  readonly bubble: number;
  readonly formula: string | undefined;
  readonly makespan: number;
  readonly makespanFormula: string | undefined;
  /** The bubble by number of micro-batches; empty for an unknown schedule. */
  readonly curve: readonly { readonly microBatches: number; readonly bubble: number }[];
}

const CURVE = [1, 2, 4, 8, 16, 32, 64] as const;

export function bubbleFacts(schedule: Schedule): BubbleFacts {
  const name = schedule.name ?? recognise(schedule);
  const { bubble, makespan } = timingOf(schedule);
  if (name === undefined) return { name, bubble, makespan, formula: undefined, makespanFormula: undefined, curve: [] };
  const shape = { ranks: schedule.ranks, stagesPerRank: schedule.stages / schedule.ranks };
  const bubbleAt = (microBatches: number): number => {
    const size = { name, ...shape, microBatches };
    return closedFormsOf(size).bubble?.value ?? timingOf(makeSchedule(size)).bubble;
  };
  const forms = closedFormsOf({ name, ...shape, microBatches: schedule.microBatches });
  return {
    name,
    bubble,
    makespan,
    formula: forms.bubble?.formula,
    makespanFormula: forms.makespan?.formula,
    curve: [...new Set([...CURVE, schedule.microBatches])]
      .sort((a, b) => a - b)
      .filter((microBatches) => isSize(name, { ...shape, microBatches }))
      .map((microBatches) => ({ microBatches, bubble: bubbleAt(microBatches) })),
  };
}
