/**
 * Advice for a pipeline that needs more memory than its devices have: compiles and plans all schedules with the same
 * number of stages and names those that fit, or else tries checkpointing. Called by axes/stages when a run is
 * refused, so it may be slow.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { planMemory } from '../../program/memory-planner';
import type { Config } from '../../protocol/config';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode-input';
import type { AroundStages } from './around-stages';
import { compile } from './compile';
import { scheduleOf } from './stage-graphs';

export interface OverBudget {
  readonly input: ModeInput;
  readonly kind: TrainingKind;
  readonly mesh: DeviceMesh;
  readonly around: AroundStages;
  readonly budgetBytes: number;
}

/** A sentence, or undefined if nothing that was tried fits. */
export function memoryAdvice(run: OverBudget): string | undefined {
  const { config } = run.input;
  const { stages } = scheduleOf(config);
  const others = SCHEDULE_NAMES.filter((name) => name !== config.pipeline.schedule).map(
    (schedule): Config => ({ ...config, pipeline: { ...config.pipeline, schedule } }),
  );
  const fitting = others.filter((other) => stagesOf(other) === stages && fits(run, other));
  if (fitting.length > 0) {
    const names = fitting.map(({ pipeline }) => pipeline.schedule);
    return `${listed(names)} would fit: ${names.length === 1 ? 'it keeps' : 'they keep'} the activations of fewer micro-batches at once. Set pipeline.schedule to ${names[0]}.`;
  }
  const checkpointed: Config = { ...config, checkpointSegments: 2 };
  if (config.checkpointSegments === undefined && fits(run, checkpointed))
    return 'No other schedule of these stages fits. Set checkpointSegments to 2: part of each stage is computed again in backward, and its activations are not kept.';
  return undefined;
}

/** The schedule's number of stages; undefined if the schedule does not support this size. */
function stagesOf(config: Config): number | undefined {
  try {
    return scheduleOf(config).stages;
  } catch (error) {
    if (error instanceof LockstepError) return undefined;
    throw error;
  }
}

function fits({ input, kind, mesh, around, budgetBytes }: OverBudget, config: Config): boolean {
  const plans = planMemory([compile({ ...input, config }, kind, mesh, around)]);
  return [...plans.values()].every(({ bytes }) => bytes <= budgetBytes);
}

function listed(names: readonly string[]): string {
  if (names.length === 1) return must(names[0], 'a name');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
