/**
 * The types of a device mesh that both sides of the worker wall use: its axes and the groups of ranks along them.
 * `mesh/device-mesh.ts` makes the groups; Programs and traces carry them. Plain data.
 */

/**
 * Outermost first, with torchtitan's order and names: pipeline stages, replicas, shards of parameters, parts of the
 * sequence (context), and the ranks that share one layer (tensor).
 */
export const AXES = ['pp', 'dpReplicate', 'dpShard', 'cp', 'tp'] as const;
export type Axis = (typeof AXES)[number];

/** Axes whose ranks train on different batches: over them gradients are averaged. */
export const DATA_AXES = ['dpReplicate', 'dpShard'] as const satisfies readonly Axis[];

/** Axes that cut the tensors of a layer or its activations: their ranks train on one batch. */
export const CUT_AXES = ['cp', 'tp'] as const satisfies readonly Axis[];

/** A process group: all ranks, or those on a line or a plane of the mesh. Two groups are the same if their ids are. */
export interface Group {
  /** Unique within a mesh; 0 is the default group of all ranks. */
  readonly id: number;
  /** For a line: its axis; absent: the default group, a plane, or a group along no axis. */
  readonly axis?: Axis;
  /** For a plane: its axes, which torch's DeviceMesh._flatten makes into one group. */
  readonly axes?: readonly Axis[];
  /** For a group along no axis (torch.distributed.new_group): its purpose, 'tied'. */
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

/**
 * torch's name of a group's mesh dimension: 'dp_replicate', for a plane 'dp_replicate_dp_shard'; undefined for a group
 * along no axis. Groups with one name do the same work side by side.
 */
export function dimensionName({ axis, axes = axis === undefined ? [] : [axis] }: Pick<Group, 'axis' | 'axes'>) {
  return axes.length === 0 ? undefined : axes.map((each) => TORCH_NAME[each]).join('_');
}

/** Whether two groups have the same axes; undefined is the default group. */
export const isAlongSame = (a: Group | undefined, b: Group | undefined): boolean =>
  dimensionName(a ?? {}) === dimensionName(b ?? {});

/** As torch describes a mesh's groups: 'default_pg', 'mesh_dp_replicate'. */
export function groupDescription(group: Pick<Group, 'axis' | 'axes' | 'purpose'>): string {
  const name = dimensionName(group);
  return name === undefined ? (group.purpose ?? 'default_pg') : `mesh_${name}`;
}

/** A name for readers: 'default_pg', 'dp_replicate[0, 2]'. Nothing parses it. */
export function groupLabel(group: Group): string {
  const { purpose, ranks } = group;
  const name = dimensionName(group) ?? purpose;
  return name === undefined ? 'default_pg' : `${name}[${ranks.join(', ')}]`;
}
