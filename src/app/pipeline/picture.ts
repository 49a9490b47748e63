/**
 * The pipeline picture as data: per rank of a pipeline the cells of its schedule on some clock, the gaps between them
 * with what each waits for, and how many micro-batches' activations it keeps. Made from a schedule's own clock here,
 * from a traced step in picture-of-trace.ts, from an unfinished schedule in draft-clock.ts. Pure.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import { keyOf } from '../../schedules/cell';
import type { Schedule } from '../../schedules/schedule';
import {
  type LiveStep,
  liveSteps,
  type ScheduleGap,
  type TimedCell,
  type Timing,
  timingOf,
} from '../../schedules/timing';

/** Events of the trace that a cell stands for, as indices: the earliest and the last in the trace's order. */
export interface EventRange {
  readonly first: number;
  readonly last: number;
}

export interface PictureCell extends TimedCell {
  /** Undefined on a clock that nothing has run on. */
  readonly events?: EventRange | undefined;
}

export interface PictureRow {
  readonly rank: number;
  /** By time. */
  readonly cells: readonly PictureCell[];
  readonly gaps: readonly ScheduleGap[];
  readonly live: readonly LiveStep[];
  readonly peak: number;
}

export type ClockUnit = 'units' | 'us';

export interface Picture {
  readonly unit: ClockUnit;
  /** Start of the first cell and end of the last one, on the clock. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly PictureRow[];
  /** The share of rows x (to - from) in which a rank is idle: 0 to 1. */
  readonly bubble: number;
  readonly cellOf: (action: PipelineAction) => PictureCell | undefined;
}

/** A row with the gaps already known. */
export function rowOf(rank: number, cells: readonly PictureCell[], gaps: readonly ScheduleGap[]): PictureRow {
  const live = liveSteps(cells);
  return { rank, cells, gaps, live, peak: live.reduce((most, step) => Math.max(most, step.live), 0) };
}

export function pictureOf(unit: ClockUnit, rows: readonly PictureRow[]): Picture {
  const cells = rows.flatMap((row) => row.cells);
  const from = cells.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const to = cells.reduce((most, { end }) => Math.max(most, end), 0);
  const busy = cells.reduce((sum, { start, end }) => sum + (end - start), 0);
  const length = rows.length * (to - from);
  const byAction = new Map<number, PictureCell>();
  for (const cell of cells) if (!byAction.has(keyOf(cell.action))) byAction.set(keyOf(cell.action), cell);
  return {
    unit,
    from: cells.length === 0 ? 0 : from,
    to,
    rows,
    bubble: length > 0 ? Math.max(0, 1 - busy / length) : 0,
    cellOf: (action) => byAction.get(keyOf(action)),
  };
}

/** A forward takes 1 unit, a backward 2, or its two halves 1 each; messages take no time. */
export function pictureOfSchedule(schedule: Schedule): Picture {
  return pictureOfTiming(schedule, timingOf(schedule));
}

function pictureOfTiming({ ranks }: Schedule, { cells, gaps }: Timing): Picture {
  const rows = Array.from({ length: ranks }, (_, rank) =>
    rowOf(
      rank,
      cells.filter((cell) => cell.rank === rank),
      gaps.filter((gap) => gap.rank === rank),
    ),
  );
  return pictureOf('units', rows);
}
