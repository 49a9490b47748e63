/**
 * The mean of the gradients over two axes, one after the other: DDP over every line of dpReplicate, side by side, and
 * then an all-reduce over every line of dpShard. Called by mode.ts.
 */
import { at } from '../../../base/invariant';
import { algorithmFor } from '../../../collectives/algorithms';
import type { Where } from '../../../program/lane-builder';
import type { AveragingSyncs, SyncedStep } from '../../pipeline/compile';
import { replicaSync } from '../../pipeline/replica-sync';
import type { StagePlace } from '../../step/place';
import type { StageUse, Sync } from '../../step/sync';

const SHARDS: Where = { phase: 'reduce', anchor: 'all_reduce', queue: 'comm' };

export const averageAlongAxes: AveragingSyncs = (step, schedule) => {
  const { builder, stages } = step;
  const planes = Array.from({ length: builder.mesh.shape.dpShard }, (_, shard) =>
    stages.map(({ lanes }): StagePlace => {
      const own = lanes.filter(({ rank }) => builder.mesh.coordinate(rank).dpShard === shard);
      return { lanes: own, group: builder.mesh.group('dpReplicate', at(own, 0).rank) };
    }),
  );
  return [
    ...planes.map((places) => seeingOnly(places, replicaSync({ ...step, stages: places }, schedule))),
    averageOverShards(step),
  ];
};

/** The sync knows of these lanes alone. */
function seeingOnly(places: readonly StagePlace[], sync: Sync): Sync {
  const own = new Set(places.flatMap(({ lanes }) => lanes));
  const part = (use: StageUse): StageUse => ({
    ...use,
    place: at(places, use.action.stage),
    works: use.works.filter(({ lane }) => own.has(lane)),
  });
  return {
    beforeUse: (use) => sync.beforeUse?.(part(use)),
    ready: (use, written) =>
      sync.ready?.(
        part(use),
        written.filter(({ lane }) => own.has(lane)),
      ),
    afterUse: (use) => sync.afterUse?.(part(use)),
    finish: (parameters) => sync.finish?.(parameters),
    afterStep: () => sync.afterStep?.(),
  };
}

const averageOverShards = ({ builder, stages }: SyncedStep): Sync => ({
  finish(parameters) {
    for (const [stage, { lanes }] of stages.entries()) {
      for (const group of new Set(lanes.map(({ rank }) => builder.mesh.group('dpShard', rank)))) {
        const members = builder.lanesOf(group);
        for (const lane of members) lane.handOver('compute', 'comm', SHARDS);
        for (const { gradient } of at(parameters, stage)) {
          const { length } = at(members, 0).whole(gradient);
          const call = { builder, op: 'allReduce' as const, group, input: gradient, length, reduceOp: 'avg' as const };
          algorithmFor('ring', 'allReduce').emit({ ...call, payload: 'gradient', where: SHARDS });
        }
        for (const lane of members) lane.handOver('comm', 'compute', SHARDS);
      }
    }
  },
});
