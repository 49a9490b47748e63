/**
 * The Programs of a run, verified: one per step kind that occurs, those that run outside steps, and those of the
 * single-device reference. Called by blueprint.ts.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import { referenceConfig } from '../../config/parse-config';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { MemoryAdvice, ModeInput, ParallelMode } from '../../parallel/mode';
import { PARALLEL_MODES, PROGRAM_OPS } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import { verifyMemory } from '../../program/memory-report';
import { verify } from '../../program/verifier';
import type { Config } from '../../protocol/config';
import { allKinds, distinctKinds, joinedKind, type KindRules } from '../step-kinds';
import { RESUMING } from './resuming-part';

export interface ProgramsInput {
  readonly input: ModeInput;
  readonly mode: ParallelMode;
  readonly schedule: BatchSchedule;
  readonly rules: KindRules;
}

/** The usual kind first. `resumes`: the run continues from a checkpoint. */
export function compileRun({ input, mode, schedule, rules }: ProgramsInput, resumes: boolean): readonly Program[] {
  const { config } = input;
  const programs = allKinds(schedule, rules).map((kind) => compiled(() => mode.compile(input, kind), config));
  const construct = mode.construct?.(input);
  if (construct) programs.push(construct);
  if (resumes && config.resumeBy === 'rank0') {
    const broadcast = mode.broadcastState?.(input, RESUMING.get().stateOfRank0(programs));
    if (broadcast) programs.push(broadcast);
  }
  for (const program of programs) verify(program, PROGRAM_OPS);
  const budgetBytes = config.memoryBudgetMb * 1024 * 1024;
  try {
    verifyMemory(programs, budgetBytes);
  } catch (error) {
    throw advised(error, () => adviceOf({ input, mode }, at(programs, 0), budgetBytes));
  }
  return programs;
}

/** A batch with fewer rows than usual may be too small for a layer: the error then names the cause. */
function compiled(compile: () => Program, { batchSize, dropLast }: Config): Program {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof LockstepError) || error.code !== 'shape' || error.details['settings'] !== undefined)
      throw error;
    const settings = { batchSize, dropLast };
    throw refusedSettings({ code: 'shape', settings, why: error.message, hint: error.hint, details: error.details });
  }
}

/** Adds the mode's own advice to the error, if the mode has any. */
function advised(error: unknown, advice: () => MemoryAdvice | undefined): unknown {
  if (!(error instanceof LockstepError) || error.code !== 'memory') return error;
  const given = advice();
  if (given === undefined) return error;
  return new LockstepError(error.code, error.message, given.text, { ...error.details, instead: given.instead });
}

const adviceOf = (
  { input, mode }: Pick<ProgramsInput, 'input' | 'mode'>,
  { kind }: Program,
  budgetBytes: number,
): MemoryAdvice | undefined => (kind.type === 'training' ? mode.memoryAdvice?.(input, kind, budgetBytes) : undefined);

/** Empty without a reference. */
export function compileReference({ input, mode, schedule, rules }: ProgramsInput): readonly Program[] {
  if (mode === PARALLEL_MODES.single || !input.config.compareSingle) return [];
  const referenceInput = { ...input, config: referenceConfig(input.config) };
  return distinctKinds(allKinds(schedule, rules).map(joinedKind)).map((kind) =>
    PARALLEL_MODES.single.compile(referenceInput, kind),
  );
}
