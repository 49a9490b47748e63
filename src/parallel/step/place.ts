/**
 * Where each stage of a run is: the lanes that hold it, one for each replica, and their group. A run without a pipeline
 * has one stage. Called by the presets (single, ddp, pipeline).
 */
import { at } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import { DATA_AXES, type Group } from '../../protocol/mesh';
import type { Rank } from '../../protocol/trace';

export interface StagePlace {
  /** One for each replica (data index), in the order of the group. */
  readonly lanes: readonly LaneBuilder[];
  /** The ranks of these lanes: over them the gradients of the stage are averaged. */
  readonly group: Group;
}

/** `rankOfStage`: for each stage its rank within the pipeline. Ranks beside the pipeline's line are all replicas. */
export function placeStages(builder: ProgramBuilder, rankOfStage: readonly Rank[]): readonly StagePlace[] {
  const replicas = builder.mesh.groups('pp').map((group) => builder.lanesOf(group));
  return rankOfStage.map((rank) => {
    const lanes = replicas.map((own) => at(own, rank));
    return { lanes, group: builder.mesh.plane(DATA_AXES, at(lanes, 0).rank) };
  });
}

/** The whole model as one stage, on every rank of a group. */
export const placeOn = (builder: ProgramBuilder, group: Group): readonly StagePlace[] => [
  { lanes: builder.lanesOf(group), group },
];
