/**
 * The Programs of a run, verified: one per step kind that occurs, those that run outside steps, and those of the
 * single-device reference. Called by blueprint.ts.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import { referenceConfig } from '../../config/parse-config';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { MemoryAdvice } from '../../parallel/facets/mode-checks';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { ModeInput } from '../../parallel/mode-input';
import { PARALLEL_MODES, PROGRAM_OPS } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import { verifyMemory } from '../../program/memory-report';
import { verify } from '../../program/verifier';
import type { Config } from '../../protocol/config';
import { allKinds, distinctKinds, joinedKind, type KindRules } from '../step-kinds';
import { RESUMING } from './resuming-part';

export interface ProgramsInput {
  readonly input: ModeInput;
  readonly facets: Pick<ModeFacets, 'compiler' | 'checks'>;
  readonly schedule: BatchSchedule;
  readonly rules: KindRules;
}

/** The usual kind first. `resumes`: the run continues from a checkpoint. */
export function compileRun({ input, facets, schedule, rules }: ProgramsInput, resumes: boolean): readonly Program[] {
  const { config } = input;
  const { compiler } = facets;
  const programs = allKinds(schedule, rules).map((kind) => compiled(() => compiler.compile(input, kind), config));
  const construct = compiler.construct?.(input);
  if (construct) programs.push(construct);
  if (resumes && config.resumeBy === 'rank0') {
    const broadcast = compiler.broadcastState?.(input, RESUMING.get().stateOfRank0(programs));
    if (broadcast) programs.push(broadcast);
  }
  for (const program of programs) verify(program, PROGRAM_OPS);
  const budgetBytes = config.memoryBudgetMb * 1024 * 1024;
  try {
    verifyMemory(programs, budgetBytes);
  } catch (error) {
    throw advised(error, () => adviceOf({ input, facets }, at(programs, 0), budgetBytes));
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
  { input, facets }: Pick<ProgramsInput, 'input' | 'facets'>,
  { kind }: Program,
  budgetBytes: number,
): MemoryAdvice | undefined =>
  kind.type === 'training' ? facets.checks.memoryAdvice?.(input, kind, budgetBytes) : undefined;

/** The Programs of the single-device reference. */
export function compileReference({ input, schedule, rules }: Omit<ProgramsInput, 'facets'>): readonly Program[] {
  const config = referenceConfig(input.config);
  const { compiler } = PARALLEL_MODES.single.facets(config);
  const kinds = distinctKinds(allKinds(schedule, rules).map(joinedKind));
  return kinds.map((kind) => compiler.compile({ ...input, config }, kind));
}
