/**
 * The mean of the gradients over two axes, one after the other: DDP over every line of dpReplicate, side by side, and
 * then an all-reduce over every line of dpShard. Called by mode.ts.
 */
import { at } from '../../../base/invariant';
import type { Where } from '../../../program/lane-builder';
import type { AroundStages, PlainStages } from '../../pipeline/around-stages';
import { ddpAroundStages, replicaSync } from '../../pipeline/ddp-around-stages';
import { allReduceAlong } from '../../step/all-reduce-along';
import { perGroup } from '../../step/per-group';
import type { Sync } from '../../step/sync';

const SHARDS: Where = { phase: 'reduce', anchor: 'all_reduce', queue: 'comm' };

export const averageAlongAxes: AroundStages = {
  ...ddpAroundStages,
  wrap(step) {
    const { builder, stages, graphOf } = step;
    const lines = stages.map(({ lanes }) => ({
      lanes,
      replicaGroups: [...new Set(lanes.map(({ rank }) => builder.mesh.group('dpReplicate', rank)))],
    }));
    const first = perGroup(lines, (own) => replicaSync({ ...step, stages: own }));
    return { graphOf, syncs: [...first, averageOverShards(step)], sumsPartials: false };
  },
};

const averageOverShards = ({ builder, stages }: Pick<PlainStages, 'builder' | 'stages'>): Sync => ({
  finish(parameters) {
    for (const [stage, { lanes }] of stages.entries()) {
      const gradients = at(parameters, stage).map(({ gradient }) => gradient);
      const call = { builder, algorithm: 'ring', axis: 'dpShard', reduceOp: 'avg' } as const;
      allReduceAlong({ ...call, lanes, gradients, where: SHARDS });
    }
  },
});
