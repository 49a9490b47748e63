/**
 * Sums gradients that are addends on the ranks of an axis, such as a layer norm's under sequence parallelism: torch
 * leaves them as Partial, and the optimiser sums them when it reads them. This sync sums each once, after the data
 * axes' syncs and before clipping. (torch sums once per read, three times for AdamW.) Called by modes whose mesh cuts
 * layers.
 */
import { at } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { AlgorithmName } from '../../protocol/collective';
import { AXES } from '../../protocol/mesh';
import type { TrainingKind } from '../../protocol/step-kind';
import { allReduceAlong } from './all-reduce-along';
import type { StagePlace } from './place';
import type { Sync } from './sync';

const STEP: Where = { phase: 'step', anchor: 'step' };

export interface PartialSums {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  readonly stages: readonly StagePlace[];
  readonly kind: TrainingKind;
}

export const sumPartials = ({ builder, algorithm, stages, kind }: PartialSums): Sync => ({
  finish(parameters) {
    // Addends accumulate over the micro-batches: an earlier sum would be counted once per rank by the next sum.
    if (!kind.steps) return;
    for (const [stage, { lanes }] of stages.entries())
      for (const axis of AXES) {
        const gradients = at(parameters, stage).flatMap(({ gradient, sumAlong }) =>
          sumAlong?.includes(axis) ? [gradient] : [],
        );
        allReduceAlong({ builder, algorithm, axis, lanes, gradients, reduceOp: 'sum', where: STEP });
      }
  },
});
