/**
 * The micro-batches of one ordinary step of a run, by the Programs that they run: what "in a step" means for bytes,
 * modelled times and what overlap saves. Without accumulation it is one. Called by report.ts and overlap-times.ts.
 */
import { at } from '../base/invariant';
import type { Program } from '../program/instruction';
import { programOf } from '../program/program-of';
import { firstOfStep, stepOf } from '../protocol/micro-batches';
import { programKey, type TrainingKind } from '../protocol/step-kind';
import type { Blueprint } from './blueprint';
import { kindAt, kindRules } from './step-kinds';

export interface OrdinaryMicroBatch {
  readonly kind: TrainingKind;
  readonly program: Program;
}

/** A step of which the first Program is a part may come late, where a communication hook begins late. */
const LOOKED_AT = 10_000;

export function usualStep(blueprint: Blueprint): readonly OrdinaryMicroBatch[] {
  const { config, programs, mode } = blueprint;
  const { schedule } = blueprint.batches();
  const rules = kindRules(config, mode);
  const partsOf = (step: number): readonly TrainingKind[] =>
    Array.from({ length: config.accumulate }, (_, i) => kindAt(firstOfStep(step, config) + i, schedule, rules));
  const usual = programKey(at(programs, 0).kind);
  const isUsual = (step: number): boolean => partsOf(step).some((kind) => programKey(kind) === usual);
  // What would come after the end of the run has no kind.
  const end = Math.min(LOOKED_AT, stepOf(blueprint.stop?.microBatch ?? Number.POSITIVE_INFINITY, config));
  let step = 0;
  // The first one of all is often another: not the step itself then, but its earlier micro-batches.
  for (let s = 0, found = 0; s < end && found < 2; s++) {
    if (!isUsual(s)) continue;
    step = s;
    found++;
  }
  return partsOf(step).map((kind) => ({ kind, program: programOf(programs, programKey(kind)) }));
}
