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
import { allReduceAlong } from './all-reduce-along';
import type { StagePlace } from './place';
import type { Sync } from './sync';

const STEP: Where = { phase: 'step', anchor: 'step' };

export interface PartialSums {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  readonly stages: readonly StagePlace[];
}

export const sumPartials = ({ builder, algorithm, stages }: PartialSums): Sync => ({
  finish(parameters) {
    for (const [stage, { lanes }] of stages.entries())
      for (const axis of AXES) {
        const gradients = at(parameters, stage).flatMap(({ gradient, sumAlong }) =>
          sumAlong?.includes(axis) ? [gradient] : [],
        );
        allReduceAlong({ builder, algorithm, axis, lanes, gradients, reduceOp: 'sum', where: STEP });
      }
  },
});
