/**
 * How long a schedule takes if every computation has a cost and transfers are free: each rank starts its next cell as
 * soon as the rank is free and the cell's dependencies are done. Computes when each action runs, when a rank is idle
 * and why, and how many activations it keeps. The simulator does the same for real Programs; this file considers only
 * the order.
 */
import { at, must } from '../base/invariant';
import type { Computation, PipelineAction } from '../protocol/pipeline';
import { isPair, keyOf, partsOf, type ScheduleCell } from './cell';
import { checkSchedule } from './check-schedule';
import { type ActionPlaces, placesOf } from './dependencies';
import { execute, type Unit } from './execution';
import type { Schedule } from './schedule';

/** The cost of each kind of computation, in arbitrary units. */
export type Costs = Readonly<Record<Computation, number>>;

/** A backward makes two gradients and so takes twice as long as a forward; I and W are one each. */
export const USUAL_COSTS: Costs = { F: 1, B: 2, I: 1, W: 1 };

export interface TimingOptions {
  /** One cost for all stages, or a cost per stage. */
  readonly costs?: Costs | ((stage: number) => Costs);
  /**
   * How a pair runs: its parts one after the other, each as soon as its input is ready, as in torch 2.13; or together,
   * when both inputs are ready.
   */
  readonly pairs?: 'oneAfterTheOther' | 'together';
}

export interface TimedCell {
  readonly rank: number;
  /** Index of the cell in the rank's order; both parts of a pair have the same. */
  readonly index: number;
  readonly action: PipelineAction;
  readonly start: number;
  readonly end: number;
  /** Whether it is part of a pair. */
  readonly paired: boolean;
}

export interface ScheduleGap {
  readonly rank: number;
  readonly start: number;
  readonly end: number;
  /** The action whose end ends the gap; undefined if the rank is done. */
  readonly waitsFor: PipelineAction | undefined;
  /** The rank's next action after the gap; undefined: none. */
  readonly next: PipelineAction | undefined;
}

/** The number of activations that a rank keeps from this time on. */
export interface LiveStep {
  readonly time: number;
  readonly live: number;
}

export interface Timing {
  /** By rank, then by time. */
  readonly cells: readonly TimedCell[];
  /** By rank, then by time: gaps between two cells, before the first, and after the last. */
  readonly gaps: readonly ScheduleGap[];
  readonly makespan: number;
  /** The share of ranks x makespan in which a rank is idle: 0 to 1. */
  readonly bubble: number;
  /** Per rank, the most forward passes (of a stage and micro-batch) whose B or W has not run yet. */
  readonly peakLive: readonly number[];
  /** Per rank, the number of kept activations over time: from the end of a forward pass to the end of its B or W. */
  readonly live: readonly (readonly LiveStep[])[];
}

/** Throws if the schedule cannot run (check-schedule.ts). */
export function timingOf(
  schedule: Schedule,
  { costs = USUAL_COSTS, pairs = 'oneAfterTheOther' }: TimingOptions = {},
): Timing {
  checkSchedule(schedule);
  const units = schedule.orders.map((order) => unitsOf(order, pairs));
  const { cells, gaps } = clockwork(units, placesOf(schedule), ({ stage, kind }) =>
    typeof costs === 'function' ? costs(stage)[kind] : costs[kind],
  );
  const ends = cells.map((own) => own.at(-1)?.end ?? 0);
  const makespan = ends.reduce((most, end) => Math.max(most, end), 0);
  const busy = cells.flat().reduce((sum, { start, end }) => sum + (end - start), 0);
  const live = cells.map(liveSteps);
  const afterwards = (rank: number): readonly ScheduleGap[] => {
    const start = at(ends, rank);
    return start < makespan ? [{ rank, start, end: makespan, waitsFor: undefined, next: undefined }] : [];
  };
  return {
    cells: cells.flat(),
    gaps: gaps.flatMap((own, rank) => [...own, ...afterwards(rank)]),
    makespan,
    bubble: makespan === 0 ? 0 : 1 - busy / (schedule.ranks * makespan),
    peakLive: live.map((steps) => steps.reduce((most, step) => Math.max(most, step.live), 0)),
    live,
  };
}

/** Work that starts at one moment: an action, or both actions of a pair that run together. */
interface TimedUnit {
  readonly parts: Unit;
  readonly index: number;
  readonly paired: boolean;
}

const unitsOf = (order: readonly ScheduleCell[], pairs: TimingOptions['pairs']): readonly TimedUnit[] =>
  order.flatMap((cell, index) =>
    isPair(cell) && pairs !== 'together'
      ? cell.pair.map((part) => ({ parts: [part], index, paired: true }))
      : { parts: partsOf(cell), index, paired: isPair(cell) },
  );

/** Advances every rank's clock; cells and gaps are per rank, in the order of time. */
function clockwork(
  units: readonly (readonly TimedUnit[])[],
  { dependenciesOf }: ActionPlaces,
  costOf: (action: PipelineAction) => number,
): { readonly cells: readonly (readonly TimedCell[])[]; readonly gaps: readonly (readonly ScheduleGap[])[] } {
  const cells: readonly TimedCell[][] = units.map(() => []);
  const gaps: readonly ScheduleGap[][] = units.map(() => []);
  const ends = new Map<number, number>();
  const { done } = execute(
    units.map((own) => own.map(({ parts }) => parts)),
    dependenciesOf,
  );
  for (const { rank, index: unitIndex } of done) {
    const { parts, index, paired } = at(at(units, rank), unitIndex);
    let clock = at(cells, rank).at(-1)?.end ?? 0;
    let waitsFor: PipelineAction | undefined;
    const idleFrom = clock;
    for (const part of parts) {
      for (const needed of dependenciesOf(part)) {
        const end = must(ends.get(keyOf(needed)), 'end of what is needed');
        if (end <= clock) continue;
        clock = end;
        waitsFor = needed;
      }
    }
    if (waitsFor) at(gaps, rank).push({ rank, start: idleFrom, end: clock, waitsFor, next: at(parts, 0) });
    for (const action of parts) {
      const start = clock;
      clock += costOf(action);
      at(cells, rank).push({ rank, index, action, start, end: clock, paired });
      ends.set(keyOf(action), clock);
    }
  }
  return { cells, gaps };
}

/** Of one rank's cells, in the order of time. */
export function liveSteps(cells: readonly Pick<TimedCell, 'action' | 'end'>[]): readonly LiveStep[] {
  let live = 0;
  const steps: LiveStep[] = [];
  for (const { action, end: time } of cells) {
    if (action.kind === 'I') continue;
    live += action.kind === 'F' ? 1 : -1;
    steps.push({ time, live });
  }
  return steps;
}
