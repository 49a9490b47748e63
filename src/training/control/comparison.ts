/** Compares a playing run with its single-device reference between snapshots. Called by player.ts. */
import { stepOf } from '../../protocol/micro-batches';
import type { Blueprint } from '../blueprint';
import { differenceFromSingle } from '../weights/weight-differences';
import type { Weights } from '../weights/weights';
import { nextCompared } from './compared-steps';

export interface ControlComparison {
  /** The first compared step after `step`. */
  next(step: number): number;
  difference(weights: Weights): number | undefined;
}

/** Undefined if the run has no reference. */
export function comparisonOf(blueprint: Blueprint): ControlComparison | undefined {
  if (blueprint.reference.length === 0) return undefined;
  const start = stepOf(blueprint.resume?.checkpoint.microBatch ?? 0, blueprint.config);
  return {
    next: (step) => start + nextCompared(step - start),
    difference: (weights) => differenceFromSingle(blueprint, weights),
  };
}
