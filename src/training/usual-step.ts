/**
 * The micro-batches of one ordinary step of a run, with their Programs: the meaning of "in a step" for bytes, modelled
 * times and the gain from overlap. Without accumulation it is one micro-batch. Called by report.ts and
 * overlap-times.ts.
 */
import { at } from '../base/invariant';
import type { Program } from '../program/instruction';
import { programOf } from '../program/program-of';
import { firstOfStep, stepOf } from '../protocol/micro-batches';
import { programKey, type TrainingKind } from '../protocol/step-kind';
import type { Blueprint } from './blueprint';

export interface OrdinaryMicroBatch {
  readonly kind: TrainingKind;
  readonly program: Program;
}

/** Steps to search; the usual step may be late if a communication hook begins late. */
const LOOKED_AT = 10_000;

export function usualStep(blueprint: Blueprint): readonly OrdinaryMicroBatch[] {
  const { config, programs } = blueprint;
  const partsOf = (step: number): readonly TrainingKind[] =>
    Array.from({ length: config.accumulate }, (_, i) =>
      blueprint.kindOf({ microBatch: firstOfStep(step, config) + i }),
    );
  const usual = programKey(at(programs, 0).kind);
  const isUsual = (step: number): boolean => partsOf(step).some((kind) => programKey(kind) === usual);
  // Steps after the end of the run have no kind.
  const end = Math.min(LOOKED_AT, stepOf(blueprint.stop?.microBatch ?? Number.POSITIVE_INFINITY, config));
  let step = 0;
  // The first step of a run often differs from the usual step in its earlier micro-batches, so skip the first match.
  for (let s = 0, found = 0; s < end && found < 2; s++) {
    if (!isUsual(s)) continue;
    step = s;
    found++;
  }
  return partsOf(step).map((kind) => ({ kind, program: programOf(programs, programKey(kind)) }));
}
