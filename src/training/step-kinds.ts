/**
 * Which Programs a run needs: the batches of the ranks may be full ones or short, the first or a later micro-batch of a
 * group whose gradients add up, reduced or under no_sync, before or after DDP has rebuilt its buckets, the last within
 * join(). A mode may tell optimiser steps apart further (ParallelMode.stepPhases, as a communication hook that begins
 * later does). Called by blueprint.ts and usual-step.ts.
 */
import type { BatchSchedule } from '../data/batch-schedule';
import type { AccumulationPolicy, ParallelMode, StepPhases } from '../parallel/mode';
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

/** What of a run decides about the kinds of its steps. */
export interface KindRules {
  readonly accumulate: number;
  /** Undefined: the mode reduces nothing by passes. */
  readonly policy: AccumulationPolicy | undefined;
  readonly joins: boolean;
  readonly phases: StepPhases | undefined;
}

export function kindRules(config: Config, mode: ParallelMode): KindRules {
  const policy = mode.accumulationPolicy?.(config);
  const joins = policy !== undefined && config.ddp.join;
  return { accumulate: config.accumulate, policy, joins, phases: mode.stepPhases?.(config) };
}

/** The kind of a micro-batch (from 0). */
export function kindAt(microBatch: number, schedule: BatchSchedule, rules: KindRules): TrainingKind {
  const own = microBatchAt(microBatch, schedule, rules);
  const steps = isLast(microBatch, rules);
  return trainingKind(own, steps, steps ? rules.phases?.at(stepOf(microBatch, rules)) : undefined);
}

const isLast = (microBatch: number, { accumulate }: KindRules): boolean => microBatch % accumulate === accumulate - 1;

const trainingKind = (microBatch: MicroBatchKind, steps: boolean, hookPhase: HookPhase = 'usual'): TrainingKind => ({
  type: 'training',
  microBatches: [microBatch],
  steps,
  hookPhase,
});

function microBatchAt(microBatch: number, schedule: BatchSchedule, rules: KindRules): MicroBatchKind {
  const { accumulate, policy, joins } = rules;
  const size = schedule.sizeAt(microBatch);
  const place = microBatch % accumulate;
  const every = policy?.reducesEveryPass === true;
  const reduces = place === accumulate - 1 || every;
  const pass = every ? microBatch : stepOf(microBatch, rules);
  return {
    size: size === 'full' || size === 'last' ? size : 'other',
    rows: schedule.rowsAt(microBatch),
    gradients: place === 0 ? 'set' : 'add',
    reduces,
    syncsBuffers: every || place === 0,
    beforeRebuild: policy !== undefined && reduces && pass < policy.passesBeforeRebuild,
    endsJoin: joins && microBatch % schedule.period === schedule.period - 1,
  };
}

/** Every kind that can occur. */
export function allKinds(schedule: BatchSchedule, rules: KindRules): readonly TrainingKind[] {
  const { period, stretches } = schedule;
  const { accumulate, policy, phases } = rules;
  const initial = policy?.passesBeforeRebuild ?? 0;
  const initialPhases = Array.from({ length: Math.max(1, initial) }, (_, step) => phases?.at(step));
  const found = new Map<ProgramKey, TrainingKind>();
  const note = (microBatch: number) => {
    const own = microBatchAt(microBatch, schedule, rules);
    const steps = isLast(microBatch, rules);
    // The first steps are in one phase each; the others may come in any.
    const possible = steps && phases ? (own.beforeRebuild ? initialPhases : phases.names) : [undefined];
    for (const phase of possible) {
      const kind = trainingKind(own, steps, phase);
      if (!found.has(programKey(kind))) found.set(programKey(kind), kind);
    }
  };
  // Groups and periods meet again after `accumulate` periods at the latest; of each stretch only the start and the end
  // can bring something new.
  const around = (1 + initial) * accumulate;
  for (let round = 0; round < accumulate * (1 + initial); round++) {
    for (const { from, to } of stretches) {
      for (let i = 0; i < Math.min(to - from, around); i++) {
        note(round * period + from + i);
        note(round * period + to - 1 - i);
      }
    }
  }
  // The one that runs most steps comes first.
  return [...found.values()].sort((a, b) => Number(isUsual(b)) - Number(isUsual(a)));
}

/** Each once. */
export const distinctKinds = (kinds: readonly TrainingKind[]): readonly TrainingKind[] => [
  ...new Map(kinds.map((kind) => [programKey(kind), kind])).values(),
];

/** Of the single-device reference: one process has the rows of all. */
export const joinedKind = (kind: TrainingKind): TrainingKind => ({
  ...kind,
  microBatches: kind.microBatches.map((own) => ({ ...own, rows: [own.rows.reduce((a, b) => a + b, 0)] })),
});
