/**
 * Which Programs a run needs: the batches of the ranks may be full ones or short, the first or a later micro-batch of a
 * group whose gradients add up, reduced or under no_sync, before or after DDP has rebuilt its buckets, the last within
 * join(). Names: 'full', 'last' (or the rows: '8,0'); '-set' and '-add' for micro-batches without a step; 'first',
 * '-first' before the rebuild; '-end' of join. A mode may tell optimiser steps apart further (ParallelMode.stepPhases,
 * as a communication hook that begins later does): 'full-plain'.
 */
import type { BatchSchedule } from '../data/batch-schedule';
import type { AccumulationPolicy, ParallelMode, StepPhases, StepVariant } from '../parallel/mode';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';

/** What of a run decides about variants. */
export interface VariantRules {
  readonly accumulate: number;
  /** Undefined: the mode reduces nothing by passes. */
  readonly policy: AccumulationPolicy | undefined;
  readonly joins: boolean;
  readonly phases: StepPhases | undefined;
}

export function variantRules(config: Config, mode: ParallelMode): VariantRules {
  const policy = mode.accumulationPolicy?.(config);
  const joins = policy !== undefined && config.ddp.join;
  return { accumulate: config.accumulate, policy, joins, phases: mode.stepPhases?.(config) };
}

/** The variant of a micro-batch (from 0). */
export function variantAt(microBatch: number, schedule: BatchSchedule, rules: VariantRules): StepVariant {
  const own = withoutPhase(microBatch, schedule, rules);
  return inPhase(own, own.steps ? rules.phases?.at(stepOf(microBatch, rules)) : undefined);
}

function withoutPhase(microBatch: number, schedule: BatchSchedule, rules: VariantRules): StepVariant {
  const { accumulate, policy, joins } = rules;
  const size = schedule.sizeAt(microBatch);
  const place = microBatch % accumulate;
  const steps = place === accumulate - 1;
  const gradients = place === 0 ? 'set' : 'add';
  const every = policy?.reducesEveryPass === true;
  const reduces = steps || every;
  const pass = every ? microBatch : stepOf(microBatch, rules);
  const first = policy !== undefined && reduces && pass < policy.passesBeforeRebuild;
  const endsJoin = joins && microBatch % schedule.period === schedule.period - 1;
  const whole = first ? (size === 'full' ? 'first' : `${size}-first`) : size;
  const name = `${steps ? whole : `${size}-${gradients}${first ? '-first' : ''}`}${endsJoin ? '-end' : ''}`;
  return { name, gradients, steps, reduces, syncsBuffers: every || place === 0, first, endsJoin };
}

const inPhase = (variant: StepVariant, phase = ''): StepVariant =>
  phase === '' ? variant : { ...variant, name: `${variant.name}-${phase}`, phase };

/** Every variant that can occur, with the size of its batch. */
export function allVariants(
  schedule: BatchSchedule,
  rules: VariantRules,
): readonly { readonly variant: StepVariant; readonly size: string }[] {
  const { period, stretches } = schedule;
  const { accumulate, policy, phases } = rules;
  const initial = policy?.passesBeforeRebuild ?? 0;
  const initialPhases = Array.from({ length: Math.max(1, initial) }, (_, step) => phases?.at(step) ?? '');
  const found = new Map<string, { variant: StepVariant; size: string }>();
  const note = (microBatch: number) => {
    const own = withoutPhase(microBatch, schedule, rules);
    // The first steps are in one phase each; the others may come in any.
    const possible = own.steps && phases ? (own.first ? initialPhases : phases.names) : [''];
    for (const phase of possible) {
      const variant = inPhase(own, phase);
      if (!found.has(variant.name)) found.set(variant.name, { variant, size: schedule.sizeAt(microBatch) });
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
  return [...found.values()].sort((a, b) => Number(b.variant.name === 'full') - Number(a.variant.name === 'full'));
}
