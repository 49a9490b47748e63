/**
 * Formulas for makespan, bubble and peak of live activations, if known: for the schedules of schedule.ts with equally
 * expensive stages and free transfers. A property test compares every formula with timing.ts. P ranks, L stages per
 * rank, M micro-batches; F, B, I, W are costs.
 */
import type { ScheduleName } from '../protocol/pipeline';
import { warmUpOf } from './orders/interleaved';
import { count } from './orders/order-maker';
import type { ScheduleSize } from './schedule';
import { checkSize } from './size-rules';
import { type Costs, type TimingOptions, USUAL_COSTS } from './timing';

export interface FormulaValue {
  readonly value: number;
  readonly formula: string;
}

export interface ClosedForms {
  /** In units of the costs; undefined: no formula is known for this size or these costs. */
  readonly makespan: FormulaValue | undefined;
  /** Share of ranks x makespan that is idle: 0 to 1. */
  readonly bubble: FormulaValue | undefined;
  /** Per rank; r in the formula is the rank. */
  readonly peakLive: { readonly values: readonly number[]; readonly formula: string };
}

interface Sizes {
  readonly P: number;
  readonly L: number;
  readonly M: number;
}

/** The idle time of a rank, and the rest of the makespan, in which it computes. */
interface TimeForm {
  readonly idle: number;
  readonly makespan: string;
  readonly bubble: string;
}

type Options = Required<Pick<TimingOptions, 'pairs'>> & { readonly costs: Costs };

/** Throws for the sizes that makeSchedule refuses. */
export function closedFormsOf(
  { name, ranks: P, stagesPerRank: L, microBatches: M }: ScheduleSize,
  { costs = USUAL_COSTS, pairs = 'oneAfterTheOther' }: Partial<Options> = {},
): ClosedForms {
  checkSize(name, { ranks: P, stagesPerRank: L, microBatches: M });
  const { time, peak, peakFormula, isSplit } = FORMS[name];
  const found = time({ P, L, M }, { costs, pairs });
  const work = L * M * (isSplit ? costs.F + costs.I + costs.W : costs.F + costs.B);
  const makespan = work + (found?.idle ?? 0);
  return {
    makespan: found && { value: makespan, formula: found.makespan },
    bubble: found && { value: makespan === 0 ? 0 : found.idle / makespan, formula: found.bubble },
    peakLive: { values: count(P).map((rank) => peak({ P, L, M }, rank)), formula: peakFormula },
  };
}

interface Forms {
  readonly time: (sizes: Sizes, options: Options) => TimeForm | undefined;
  readonly peak: (sizes: Sizes, rank: number) => number;
  readonly peakFormula: string;
  /** Whether every backward pass has two parts. (DualPipeV splits only some; its formula is for B = I + W.) */
  readonly isSplit?: boolean;
}

/** Forward passes take M + P - 1 turns, and so do backward passes. */
const oneStage = ({ P }: Sizes, { costs: { F, B } }: Options): TimeForm => ({
  idle: (P - 1) * (F + B),
  makespan: '(M + P - 1)·(F + B)',
  bubble: '(P - 1) / (M + P - 1)',
});

/** With fewer micro-batches than ranks, each round over the ranks still takes P turns. */
const looped = ({ P, L, M }: Sizes, { costs: { F, B } }: Options): TimeForm =>
  M >= P
    ? {
        idle: (P - 1) * (F + B),
        makespan: '(L·M + P - 1)·(F + B)',
        bubble: '(P - 1) / (L·M + P - 1)',
      }
    : {
        idle: ((L - 1) * (P - M) + P - 1) * (F + B),
        makespan: '(L·P + M - 1)·(F + B)',
        bubble: '(L·(P - M) + M - 1) / (L·P + M - 1)',
      };

function interleavedZeroBubble({ P, M }: Sizes, { costs: { F, I, W } }: Options): TimeForm | undefined {
  if (M < P) return undefined;
  return F === I && I === W
    ? { idle: (P - 1) * F, makespan: '(3·L·M + P - 1)·F', bubble: '(P - 1) / (3·L·M + P - 1)' }
    : {
        idle: (P - 1) * Math.max(F, I, F + I - W),
        makespan: 'L·M·(F + I + W) + (P - 1)·max(F, I, F + I - W)',
        bubble: '(P - 1)·max(F, I, F + I - W) / makespan',
      };
}

/** The formula holds only if forward, I and W take the same time. */
function zbv({ P, M }: Sizes, { costs: { F, I, W } }: Options): TimeForm | undefined {
  if (F !== I || I !== W) return undefined;
  // With fewer than 2P-1 micro-batches, some slots of the schedule are empty.
  const empty = 2 * (2 * P - 1 - M);
  return empty <= P - 1
    ? { idle: (P - 1) * F, makespan: '(6·M + P - 1)·F', bubble: '(P - 1) / (6·M + P - 1)' }
    : { idle: empty * F, makespan: '(4·M + 4·P - 2)·F', bubble: '(4·P - 2 - 2·M) / (4·M + 4·P - 2)' };
}

function dualPipeV({ P }: Sizes, { costs: { F, B, I, W }, pairs }: Options): TimeForm | undefined {
  if (F !== I || I !== W || B !== I + W) return undefined;
  return pairs === 'together'
    ? { idle: 2 * (P - 1) * F, makespan: '(6·M + 2·P - 2)·F', bubble: '(P - 1) / (3·M + P - 1)' }
    : { idle: (P - 1) * F, makespan: '(6·M + P - 1)·F', bubble: '(P - 1) / (6·M + P - 1)' };
}

const shapeOf = ({ P, L, M }: Sizes) => ({ ranks: P, stagesPerRank: L, microBatches: M });

const FORMS: Readonly<Record<ScheduleName, Forms>> = {
  GPipe: { time: oneStage, peak: ({ M }) => M, peakFormula: 'M' },
  '1F1B': { time: oneStage, peak: ({ P, M }, r) => Math.min(M, P - r), peakFormula: 'min(M, P - r)' },
  LoopedBFS: { time: looped, peak: ({ L, M }) => L * M, peakFormula: 'L·M' },
  Interleaved1F1B: {
    time: looped,
    peak: (sizes, r) => Math.min(sizes.L * sizes.M, warmUpOf(shapeOf(sizes), r, 2) + 1),
    peakFormula: 'min(L·M, (L - 1)·m + 2·(P - 1 - r) + 1), m = M / max(1, floor(M / P))',
  },
  InterleavedZeroBubble: {
    time: interleavedZeroBubble,
    peak: (sizes, r) => Math.min(sizes.L * sizes.M, warmUpOf(shapeOf(sizes), r, 1) + 1 + r),
    peakFormula: 'min(L·M, (L - 1)·m + P), m = M / max(1, floor(M / P))',
    isSplit: true,
  },
  ZBVZeroBubble: {
    time: zbv,
    peak: ({ P, M }, r) => Math.min(2 * P, 2 * M, M + 1 + r),
    peakFormula: 'min(2·P, 2·M, M + 1 + r)',
    isSplit: true,
  },
  DualPipeV: { time: dualPipeV, peak: ({ P }) => 2 * P + 1, peakFormula: '2·P + 1' },
};
