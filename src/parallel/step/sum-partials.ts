/**
 * Gradients that are addends on the ranks of an axis, as those of a layer norm whose rows are cut: torch leaves them as
 * Partial, and the optimiser sums them when it reads them. A sync that sums each once, after the data axes' syncs and
 * before clipping. (torch sums once per read, three times for AdamW.) Called by modes whose mesh cuts layers.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { AlgorithmName } from '../../protocol/collective';
import type { StagePlace } from './place';
import type { Sync } from './sync';

const STEP: Where = { phase: 'step', anchor: 'step' };
const COMM: Where = { ...STEP, queue: 'comm' };

export interface PartialSums {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  readonly stages: readonly StagePlace[];
}

export const sumPartials = ({ builder, algorithm, stages }: PartialSums): Sync => ({
  finish(parameters) {
    for (const [stage, { lanes }] of stages.entries()) {
      const partial = at(parameters, stage).filter(({ sumAlong }) => sumAlong !== undefined);
      const axes = new Set(partial.flatMap(({ sumAlong = [] }) => sumAlong));
      for (const axis of axes) {
        for (const group of new Set(lanes.map(({ rank }) => builder.mesh.group(axis, rank)))) {
          const members = builder.lanesOf(group);
          for (const lane of members) lane.handOver('compute', 'comm', COMM);
          for (const { gradient, sumAlong } of partial) {
            if (!sumAlong?.includes(axis)) continue;
            const { length } = at(members, 0).whole(gradient);
            const call = { builder, op: 'allReduce' as const, group, input: gradient, length };
            algorithmFor(algorithm, 'allReduce').emit({ ...call, payload: 'gradient', where: COMM });
          }
          for (const lane of members) lane.handOver('comm', 'compute', STEP);
        }
      }
    }
  },
});
