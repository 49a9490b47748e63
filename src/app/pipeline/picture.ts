/**
 * The pipeline picture as data: for each pipeline rank the cells of its schedule on some clock, the gaps between them
 * with what each waits for, and the number of kept activations over time. Made here from a schedule's own clock, in
 * picture-of-trace.ts from a traced step, in draft-clock.ts from an unfinished schedule. Pure.
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

/** The events of a cell, as indices: the first and the last in the trace's order. */
export interface EventRange {
  readonly first: number;
  readonly last: number;
}

export interface PictureCell extends TimedCell {
  /** Undefined for a schedule that has not run. */
  readonly events?: EventRange | undefined;
}

export interface PictureRow {
  readonly rank: number;
  /** The cells in the order of time. */
  readonly cells: readonly PictureCell[];
  readonly gaps: readonly ScheduleGap[];
  readonly live: readonly LiveStep[];
  readonly peak: number;
}

export type ClockUnit = 'units' | 'us';

export interface Picture {
  readonly unit: ClockUnit;
  /** The start of the first cell and the end of the last one, on the picture's clock. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly PictureRow[];
  /** The idle share of rows x (to - from), 0 to 1. */
  readonly bubble: number;
  readonly cellOf: (action: PipelineAction) => PictureCell | undefined;
}

/** A row whose gaps are already known. */
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
