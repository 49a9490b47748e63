/**
 * Makes one sync per replica group of the stages. If an axis of the mesh cuts tensors, the ranks of a stage are not all
 * replicas of each other: ranks with the same part form a group, and the groups work side by side. Called by the
 * presets.
 */
import { at } from '../../base/invariant';
import type { LaneBuilder } from '../../program/lane-builder';
import type { StagePlace } from './place';
import type { StageUse, Sync } from './sync';

/** `make`: makes a sync for stages with one replica group each. */
export function perGroup(
  stages: readonly StagePlace[],
  make: (stages: readonly StagePlace[]) => Sync,
): readonly Sync[] {
  const { replicaGroups } = at(stages, 0);
  if (replicaGroups.length === 1) return [make(stages)];
  return replicaGroups.map((_, k) => {
    const own = stages.map(({ lanes, replicaGroups: groups }): StagePlace => {
      const group = at(groups, k);
      return { lanes: lanes.filter(({ rank }) => group.ranks.includes(rank)), replicaGroups: [group] };
    });
    return seeingOnly(own, make(own));
  });
}

/** The sync sees only the lanes of these stages. */
export function seeingOnly(stages: readonly StagePlace[], sync: Sync): Sync {
  const own = new Set<LaneBuilder>(stages.flatMap(({ lanes }) => lanes));
  const part = (use: StageUse): StageUse => ({
    ...use,
    place: at(stages, use.action.stage),
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
