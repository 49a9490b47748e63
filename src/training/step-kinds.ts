/**
 * The Programs that a run needs, for single micro-batches and for several of a group. Kinds differ by: full or short
 * batches, first or later micro-batch of an accumulation group, reduced or under no_sync, before or after DDP has
 * rebuilt its buckets, the last within join(). A mode may distinguish more optimiser steps (ModeSteps.phases,
 * for example a communication hook that begins later). Called by the files of blueprint/ and run-kinds.ts.
 */
import { at } from '../base/invariant';
import type { BatchSchedule } from '../data/batch-schedule';
import { tensorSplit } from '../data/tensor-split';
import type { ModeFacets } from '../parallel/facets/mode-facets';
import type { AccumulationPolicy, StepPhases } from '../parallel/facets/mode-steps';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';
import {
  type HookPhase,
  isUsual,
  type MicroBatchKind,
  type ProgramKey,
  programKey,
  type TrainingKind,
} from '../protocol/step-kind';

/** The properties of a run that decide the kinds of its steps. */
export interface KindRules {
  readonly accumulate: number;
  /** Undefined: the mode reduces in no pass. */
  readonly policy: AccumulationPolicy | undefined;
  /** Whether the batches are inside join(). */
  readonly joins: boolean;
  /** The last micro-batch of the run, after which the run leaves join(); absent: the run has no such end. */
  readonly lastOfRun?: number | undefined;
  readonly phases: StepPhases | undefined;
  /** The number of pieces of each batch within its Program (ModeBatches.pieces); absent: it is not cut. */
  readonly pieces?: (rows: readonly number[]) => number;
}

/**
 * When the run ends. atSteps: after the configuration's steps, like a script. never: whenever the user stops it, like
 * the page's session; `steps` then has no effect.
 */
export type RunEnd = 'atSteps' | 'never';

export function kindRules(config: Config, { batches, steps }: ModeFacets, end: RunEnd): KindRules {
  const policy = steps.accumulation?.(config);
  const joins = policy !== undefined && config.ddp.join;
  const { pieces } = batches;
  const { accumulate, epochs } = config;
  const ends = joins && end === 'atSteps' && epochs === undefined;
  const lastOfRun = ends ? config.steps * accumulate - 1 : undefined;
  const rules = { accumulate, policy, joins, lastOfRun, phases: steps.phases?.(config) };
  return pieces === undefined ? rules : { ...rules, pieces: (rows) => pieces(config, rows) };
}

/** The kind of `count` micro-batches of one group, starting at `microBatch` (counted from 0). */
export function kindAt(microBatch: number, schedule: BatchSchedule, rules: KindRules, count = 1): TrainingKind {
  const last = microBatch + count - 1;
  return {
    ...microBatchesAt(microBatch, count, schedule, rules),
    steps: isLast(last, rules),
    hookPhase: phaseAt(last, rules),
  };
}

const isLast = (microBatch: number, { accumulate }: KindRules): boolean => microBatch % accumulate === accumulate - 1;

/** The hook phase of a Program that ends with that micro-batch. */
export const phaseAt = (last: number, rules: KindRules): HookPhase =>
  (isLast(last, rules) ? rules.phases?.at(stepOf(last, rules)) : undefined) ?? 'usual';

function microBatchesAt(microBatch: number, count: number, schedule: BatchSchedule, rules: KindRules) {
  const whole = Array.from({ length: count }, (_, i) => microBatchAt(microBatch + i, schedule, rules));
  const { pieces } = rules;
  const kind = { type: 'training' as const, microBatches: whole };
  return pieces === undefined ? kind : inPieces(kind, pieces(at(whole, 0).rows));
}

/** The kind of a step whose batch is cut into micro-batches. */
export const inPieces = <Kind extends Pick<TrainingKind, 'microBatches'>>(kind: Kind, pieces: number) => ({
  ...kind,
  microBatches: kind.microBatches.flatMap((batch) => cut(batch, pieces)),
  ofOneBatch: true as const,
});

/** The pieces of a batch: their gradients accumulate, and the last piece ends the step. */
function cut(batch: MicroBatchKind, pieces: number): readonly MicroBatchKind[] {
  const rows = batch.rows.map((count) => tensorSplit(count, pieces));
  return Array.from({ length: pieces }, (_, m) => ({
    ...batch,
    rows: rows.map((own) => at(own, m)),
    gradients: m === 0 ? batch.gradients : 'add',
  }));
}

/**
 * Most micro-batches of a group in one Program. A longer group uses several Programs, so that a Program and its GPU
 * resources do not grow with the group.
 */
export const MOST_TOGETHER = 4;

/**
 * The number of micro-batches, from `microBatch` on, that a run gives to one Program if they need not be seen one by
 * one. 1 in the middle of such a Program, and for rare cases: short batches, the steps before DDP's rebuild, the end of
 * join().
 */
export function togetherAt(microBatch: number, schedule: BatchSchedule, rules: KindRules): number {
  const place = microBatch % rules.accumulate;
  const count = place % MOST_TOGETHER === 0 ? Math.min(MOST_TOGETHER, rules.accumulate - place) : 1;
  for (let own = microBatch; own < microBatch + count; own++) {
    if (schedule.sizeAt(own) !== 'full' || isBeforeRebuild(own, rules) || endsJoin(own, schedule, rules)) return 1;
  }
  return count;
}

const reducesEveryPass = ({ policy }: KindRules): boolean => policy?.reducesEveryPass === true;

const reduces = (microBatch: number, rules: KindRules): boolean => isLast(microBatch, rules) || reducesEveryPass(rules);

export function isBeforeRebuild(microBatch: number, rules: KindRules): boolean {
  const { policy } = rules;
  if (policy === undefined || !reduces(microBatch, rules)) return false;
  return (reducesEveryPass(rules) ? microBatch : stepOf(microBatch, rules)) < policy.passesBeforeRebuild;
}

/** Whether a run leaves join() within an epoch after this micro-batch, because the run ends there. */
export const endsWithinEpoch = (microBatch: number, { period }: BatchSchedule, { lastOfRun }: KindRules): boolean =>
  microBatch === lastOfRun && microBatch % period !== period - 1;

/** A run leaves join() when all ranks have run out of batches, and where its steps end within an epoch. */
export const endsJoin = (microBatch: number, schedule: BatchSchedule, rules: KindRules): boolean =>
  (rules.joins && microBatch % schedule.period === schedule.period - 1) || endsWithinEpoch(microBatch, schedule, rules);

function microBatchAt(microBatch: number, schedule: BatchSchedule, rules: KindRules): MicroBatchKind {
  const size = schedule.sizeAt(microBatch);
  const isFirst = microBatch % rules.accumulate === 0;
  return {
    size: size === 'full' || size === 'last' ? size : 'other',
    rows: schedule.rowsAt(microBatch),
    gradients: isFirst ? 'set' : 'add',
    reduces: reduces(microBatch, rules),
    syncsBuffers: reducesEveryPass(rules) || isFirst,
    beforeRebuild: isBeforeRebuild(microBatch, rules),
    endsJoin: endsJoin(microBatch, schedule, rules),
  };
}

/** Every kind that can occur. */
export function allKinds(schedule: BatchSchedule, rules: KindRules): readonly TrainingKind[] {
  const { period, stretches } = schedule;
  const { accumulate, policy, phases } = rules;
  const initial = policy?.passesBeforeRebuild ?? 0;
  const initialPhases = Array.from({ length: Math.max(1, initial) }, (_, step) => phases?.at(step));
  const found = new Map<ProgramKey, TrainingKind>();
  const noteKind = (microBatch: number, count: number) => {
    const own = microBatchesAt(microBatch, count, schedule, rules);
    const steps = isLast(microBatch + count - 1, rules);
    // Each of the first steps has one phase; the others may have any.
    const isFirst = own.microBatches.some(({ beforeRebuild }) => beforeRebuild);
    const possible = steps && phases ? (isFirst ? initialPhases : phases.names) : [undefined];
    for (const hookPhase of possible) {
      const kind: TrainingKind = { ...own, steps, hookPhase: hookPhase ?? 'usual' };
      if (!found.has(programKey(kind))) found.set(programKey(kind), kind);
    }
  };
  const note = (microBatch: number) => {
    noteKind(microBatch, 1);
    noteKind(microBatch, togetherAt(microBatch, schedule, rules));
  };
  // Groups and periods coincide again after at most `accumulate` periods; only the start and the end of each stretch
  // can have new kinds.
  const around = (1 + initial) * accumulate;
  for (let round = 0; round < accumulate * (1 + initial); round++) {
    for (const { from, to } of stretches) {
      for (let i = 0; i < Math.min(to - from, around); i++) {
        note(round * period + from + i);
        note(round * period + to - 1 - i);
      }
    }
  }
  if (rules.lastOfRun !== undefined) note(rules.lastOfRun);
  // The kind of most steps is first.
  return [...found.values()].sort((a, b) => Number(isUsual(b)) - Number(isUsual(a)));
}

/** Removes duplicates. */
export const distinctKinds = (kinds: readonly TrainingKind[]): readonly TrainingKind[] => [
  ...new Map(kinds.map((kind) => [programKey(kind), kind])).values(),
];

/** The kind of the single-device reference: one process has the rows of all. */
export const joinedKind = (kind: TrainingKind): TrainingKind => ({
  type: 'training',
  steps: kind.steps,
  hookPhase: kind.hookPhase,
  microBatches: kind.ofOneBatch
    ? kind.microBatches.slice(0, 1).map((own) => ({ ...own, rows: [sum(kind.microBatches.map(rowsOf))] }))
    : kind.microBatches.map((own) => ({ ...own, rows: [rowsOf(own)] })),
});

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const rowsOf = ({ rows }: MicroBatchKind): number => sum(rows);
