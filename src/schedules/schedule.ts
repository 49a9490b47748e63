/**
 * A pipeline schedule as data: for each rank the ordered list of its computations. Made here by name and size, read
 * from CSV in schedule-text.ts, checked in check-schedule.ts, timed in timing.ts; the compiler of pipelines turns it
 * into Programs. Sends and receives follow from it (lowering.ts) and are not part of it.
 */
import type { ScheduleName } from '../protocol/pipeline';
import type { ScheduleCell } from './cell';
import { dualPipeV } from './orders/dual-pipe-v';
import { gpipe } from './orders/gpipe';
import { interleaved1F1B, interleavedZeroBubble } from './orders/interleaved';
import { loopedBfs } from './orders/looped-bfs';
import { oneFOneB } from './orders/one-f-one-b';
import { count, type OrderMaker } from './orders/order-maker';
import { zbv } from './orders/zbv';
import { ranksOfStages, type StagePlacement } from './placement';
import { checkSize } from './size-rules';

export type { ActionPair, ScheduleCell } from './cell';

export interface Schedule {
  /** undefined: a user's schedule; recognise.ts finds out whether it is a known one. */
  readonly name: ScheduleName | undefined;
  readonly ranks: number;
  readonly stages: number;
  readonly microBatches: number;
  /** For every stage the rank that computes it. */
  readonly rankOfStage: readonly number[];
  /** For every rank its computations, in order. */
  readonly orders: readonly (readonly ScheduleCell[])[];
}

export interface ScheduleSize {
  readonly name: ScheduleName;
  readonly ranks: number;
  readonly stagesPerRank: number;
  readonly microBatches: number;
}

const MAKERS: Readonly<Record<ScheduleName, { readonly order: OrderMaker; readonly placement: StagePlacement }>> = {
  GPipe: { order: gpipe, placement: 'loop' },
  '1F1B': { order: oneFOneB, placement: 'loop' },
  LoopedBFS: { order: loopedBfs, placement: 'loop' },
  Interleaved1F1B: { order: interleaved1F1B, placement: 'loop' },
  InterleavedZeroBubble: { order: interleavedZeroBubble, placement: 'loop' },
  ZBVZeroBubble: { order: zbv, placement: 'v' },
  DualPipeV: { order: dualPipeV, placement: 'v' },
};

/**
 * The orders in which torch 2.13 runs the schedule of that name. Throws a LockstepError of code 'schedule' for sizes
 * that torch refuses.
 */
export function makeSchedule({ name, ranks, stagesPerRank, microBatches }: ScheduleSize): Schedule {
  const shape = { ranks, stagesPerRank, microBatches };
  checkSize(name, shape);
  const { order, placement } = MAKERS[name];
  const stages = ranks * stagesPerRank;
  return {
    name,
    ranks,
    stages,
    microBatches,
    rankOfStage: ranksOfStages(placement, stages, ranks),
    orders: count(ranks).map((rank) => order(shape, rank)),
  };
}

/** The number of stages per rank that a schedule requires, or else the wanted number; 2 by default. */
export const stagesPerRankOf = (name: ScheduleName, wanted: number | undefined): number =>
  FIXED_STAGES_PER_RANK[name] ?? wanted ?? 2;

const FIXED_STAGES_PER_RANK: Readonly<Partial<Record<ScheduleName, number>>> = {
  GPipe: 1,
  '1F1B': 1,
  ZBVZeroBubble: 2,
  DualPipeV: 2,
};
