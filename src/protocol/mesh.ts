/**
 * The words for a device mesh that both sides of the worker wall know: its axes and the groups of ranks along them.
 * `mesh/device-mesh.ts` makes the groups; Programs and traces carry them. Plain data.
 */

/**
 * Outermost first, as torchtitan orders and names them: pipeline stages, replicas, shards of parameters, parts of the
 * sequence (context), and the ranks that share one layer (tensor).
 */
export const AXES = ['pp', 'dpReplicate', 'dpShard', 'cp', 'tp'] as const;
export type Axis = (typeof AXES)[number];

/** Axes whose ranks train on different batches: over them gradients are averaged. */
export const DATA_AXES = ['dpReplicate', 'dpShard'] as const satisfies readonly Axis[];

/** A process group: all ranks, or those on one line of the mesh. Two groups are the same if their ids are. */
export interface Group {
  /** Unique within a mesh; 0 is the default group of all ranks. */
  readonly id: number;
  /** Along which axis it lies; absent: the default group. */
  readonly axis?: Axis;
  /** Of a group along no axis (torch.distributed.new_group), what it is for: 'tied'. */
  readonly purpose?: string;
  /** A rank's place in this list is its rank within the group. */
  readonly ranks: readonly number[];
}

const TORCH_NAME: Readonly<Record<Axis, string>> = {
  pp: 'pp',
  dpReplicate: 'dp_replicate',
  dpShard: 'dp_shard',
  cp: 'cp',
  tp: 'tp',
};

/** As torch describes a mesh's groups: 'default_pg', 'mesh_dp_replicate'. */
export const groupDescription = ({ axis, purpose }: Pick<Group, 'axis' | 'purpose'>): string =>
  axis === undefined ? (purpose ?? 'default_pg') : `mesh_${TORCH_NAME[axis]}`;

/** For people: 'default_pg', 'dp_replicate[0, 2]'. Nothing reads it back. */
export function groupLabel({ axis, purpose, ranks }: Group): string {
  const name = axis === undefined ? purpose : TORCH_NAME[axis];
  return name === undefined ? 'default_pg' : `${name}[${ranks.join(', ')}]`;
}
