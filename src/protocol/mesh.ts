/**
 * The words for a device mesh that both sides of the worker wall know: its axes and the groups of ranks along them.
 * `mesh/device-mesh.ts` makes the groups; Programs and traces carry them. Plain data.
 */
import type { Rank } from './trace';

/**
 * Outermost first, as torchtitan orders and names them: pipeline stages, replicas, shards of parameters, parts of the
 * sequence (context), and the ranks that share one layer (tensor).
 */
export const AXES = ['pp', 'dpReplicate', 'dpShard', 'cp', 'tp'] as const;
export type Axis = (typeof AXES)[number];

/** A process group: all ranks, or those on one line of the mesh. Two groups are the same if their ids are. */
export interface Group {
  /** Unique within a mesh; 0 is the default group of all ranks. */
  readonly id: number;
  /** Along which axis it lies; absent: the default group. */
  readonly axis?: Axis;
  /** In ascending order; a rank's place in this list is its rank within the group. */
  readonly ranks: readonly Rank[];
}
