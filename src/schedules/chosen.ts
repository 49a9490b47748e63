/**
 * The schedule that a run's settings choose: one of torch's by name, or the user's own from its CSV. Called by the
 * compiler of pipelines and by the page, which draws it before anything has run.
 */
import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import type { ScheduleName } from '../protocol/pipeline';
import { makeSchedule, type Schedule, stagesPerRankOf } from './schedule';
import { fromCsv } from './schedule-text';

/** The settings that decide the order of a run's work (protocol/config/pipeline). */
export interface ChosenSchedule {
  readonly schedule: ScheduleName | 'own';
  readonly stagesPerRank?: number | undefined;
  readonly microBatches: number;
  /** For `own`: one row per rank. */
  readonly actions?: string | undefined;
}

/**
 * Throws a LockstepError of code 'schedule' for sizes that torch refuses and for a CSV that cannot be read, and of code
 * 'placement' for a CSV with rows for another number of ranks.
 */
export function chosenSchedule(
  { schedule: name, stagesPerRank, microBatches, actions }: ChosenSchedule,
  ranks: number,
): Schedule {
  if (name === 'own') return ownSchedule(must(actions, 'pipeline.actions'), ranks);
  return makeSchedule({ name, ranks, stagesPerRank: stagesPerRankOf(name, stagesPerRank), microBatches });
}

function ownSchedule(actions: string, ranks: number): Schedule {
  const schedule = fromCsv(actions);
  if (schedule.ranks === ranks) return schedule;
  throw new LockstepError(
    'placement',
    `pipeline.actions has ${schedule.ranks} ${schedule.ranks === 1 ? 'row' : 'rows'}, one per rank, but the pipeline has ${ranks} ranks.`,
    `Set mesh.pp to ${schedule.ranks}, or write ${ranks} rows.`,
    { rows: schedule.ranks, ranks },
  );
}
