/**
 * Gradients that are addends on the ranks of an axis, as those of a layer norm whose rows are cut: torch leaves them as
 * Partial, and the optimiser sums them when it reads them. A sync that sums each once, after the data axes' syncs and
 * before clipping. (torch sums once per read, three times for AdamW.) Called by modes whose mesh cuts layers.
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
    // Addends add up over the micro-batches: a sum in between would be added once per rank at the next one.
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
