/**
 * The micro-batches of one ordinary step of a run, by the Programs that they run: what "in a step" means for bytes,
 * modelled times and what overlap saves. Without accumulation it is one. Called by report.ts and overlap-times.ts.
 */
import { at, must } from '../base/invariant';
import type { StepVariant } from '../parallel/mode';
import type { Program } from '../program/instruction';
import { firstOfStep } from '../protocol/micro-batches';
import type { Blueprint } from './blueprint';
import { variantAt, variantRules } from './step-variants';

export interface OrdinaryMicroBatch {
  readonly variant: StepVariant;
  /** Key into the sizes of the schedule. */
  readonly size: string;
  readonly program: Program;
}

/** A step of which the first Program is a part may come late, where a communication hook begins late. */
const LOOKED_AT = 10_000;

export function usualStep(blueprint: Blueprint): readonly OrdinaryMicroBatch[] {
  const { config, programs, mode } = blueprint;
  const { schedule } = blueprint.batches();
  const rules = variantRules(config, mode);
  const partsOf = (step: number): readonly StepVariant[] =>
    Array.from({ length: config.accumulate }, (_, i) => variantAt(firstOfStep(step, config) + i, schedule, rules));
  const usual = at(programs, 0).variant;
  const isUsual = (step: number): boolean => partsOf(step).some(({ name }) => name === usual);
  let step = 0;
  // The first one of all is often another: not the step itself then, but its earlier micro-batches.
  for (let s = 0, found = 0; s < LOOKED_AT && found < 2; s++) {
    if (!isUsual(s)) continue;
    step = s;
    found++;
  }
  return partsOf(step).map((variant, i) => ({
    variant,
    size: schedule.sizeAt(firstOfStep(step, config) + i),
    program: must(
      programs.find((p) => p.variant === variant.name),
      variant.name,
    ),
  }));
}
