/**
 * The place of each stage of a run: the lanes that hold it or a part of it, and which of them are replicas of each
 * other. A run without a pipeline has one stage. Called by the presets (single, ddp, pipeline).
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import { DATA_AXES, type Group } from '../../protocol/mesh';
import type { Rank } from '../../protocol/trace';

export interface StagePlace {
  /** Lanes of the stage. All stages use the same order: the k-th lanes of all stages are one line of pipeline ranks. */
  readonly lanes: readonly LaneBuilder[];
  /**
   * Groups of ranks that hold the same tensors and average their gradients. If an axis cuts the tensors of the stage,
   * each part has its own group. Every lane is in exactly one group.
   */
  readonly replicaGroups: readonly Group[];
}

/** `rankOfStage`: for each stage its rank within the pipeline. */
export function placeStages(builder: ProgramBuilder, rankOfStage: readonly Rank[]): readonly StagePlace[] {
  const lines = builder.mesh.groups('pp').map((group) => builder.lanesOf(group));
  return rankOfStage.map((rank) => {
    const lanes = lines.map((own) => at(own, rank));
    return { lanes, replicaGroups: replicaGroupsOf(builder.mesh, lanes) };
  });
}

/** The whole model as one stage, with a replica on every rank of the group. */
export const placeOn = (builder: ProgramBuilder, group: Group): readonly StagePlace[] => [
  { lanes: builder.lanesOf(group), replicaGroups: [group] },
];

function replicaGroupsOf(mesh: DeviceMesh, lanes: readonly LaneBuilder[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { rank } of lanes)
    if (!groups.some(({ ranks }) => ranks.includes(rank))) groups.push(mesh.plane(DATA_AXES, rank));
  return groups;
}
