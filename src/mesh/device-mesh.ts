/**
 * The ranks of a run as a grid with named axes, after torch.distributed.device_mesh: coordinates, a process group for
 * every line of every axis, the ranks that share a batch, the node of each device. Ranks are row-major with the tensor
 * axis innermost, so the tensor axis has the fastest links. A parallel mode describes its ranks with a mesh; compilers,
 * training and the launchers read it.
 */
import { invariant, must } from '../base/invariant';
import { AXES, type Axis, type Group } from '../protocol/mesh';
import {
  type Coordinate,
  dataIndexOf,
  dataIndices,
  type MeshShape,
  placeOf,
  rankAt,
  ranksAlong,
  ranksOf,
  shapeOf,
} from '../protocol/mesh-sizes';
import type { DeviceIndex, Rank } from '../protocol/trace';
import { spreadOverNodes } from './nodes';

export interface MeshOptions {
  /** Devices that one process drives: N under DataParallel, else 1. */
  readonly devicesPerRank?: number;
  /** Number of nodes. */
  readonly nodes?: number;
}

export class DeviceMesh {
  readonly shape: MeshShape;
  /** Number of ranks: processes. */
  readonly worldSize: number;
  /** The default group of all ranks. */
  readonly world: Group;
  /** rankOfDevice[d] is the process that drives cuda:d. */
  readonly rankOfDevice: readonly Rank[];
  /** nodeOf[d] is the node that cuda:d is on. */
  readonly nodeOf: readonly number[];
  readonly devices: readonly DeviceIndex[];
  private readonly lines: Readonly<Record<Axis, readonly Group[]>>;
  private readonly devicesOfRank: readonly (readonly DeviceIndex[])[];
  /** Groups that are not lines, in the order in which compilers requested them. */
  private readonly otherGroups: Group[] = [];

  constructor(shape: MeshShape, { devicesPerRank = 1, nodes = 1 }: MeshOptions = {}) {
    for (const axis of AXES)
      invariant(Number.isInteger(shape[axis]) && shape[axis] > 0, `axis ${axis} has the size ${shape[axis]}`);
    this.shape = shape;
    this.worldSize = ranksOf(shape);
    this.world = { id: 0, ranks: Array.from({ length: this.worldSize }, (_, rank) => rank) };
    const devices = this.worldSize * devicesPerRank;
    this.devices = Array.from({ length: devices }, (_, device) => device);
    this.rankOfDevice = this.devices.map((device) => Math.floor(device / devicesPerRank));
    this.devicesOfRank = this.world.ranks.map((rank) =>
      this.devices.slice(rank * devicesPerRank, (rank + 1) * devicesPerRank),
    );
    this.nodeOf = spreadOverNodes(devices, nodes);
    this.lines = linesOf(this);
  }

  /** The position of a rank on every axis. */
  coordinate(rank: Rank): Coordinate {
    invariant(this.world.ranks.includes(rank), `there is no rank ${rank} among ${this.worldSize}`);
    return placeOf(rank, this.shape);
  }

  /** The rank at a coordinate. */
  rankAt(place: Coordinate): Rank {
    for (const axis of AXES)
      invariant(place[axis] >= 0 && place[axis] < this.shape[axis], `${axis} ${place[axis]} is outside the mesh`);
    return rankAt(place, this.shape);
  }

  /** The ranks on the line through this one along an axis. A line that holds all ranks is the default group. */
  group(axis: Axis, rank: Rank): Group {
    return must(
      this.lines[axis].find(({ ranks }) => ranks.includes(rank)),
      `the ${axis} group of rank ${rank}`,
    );
  }

  /** All lines along an axis: each rank is in exactly one of them. */
  groups(axis: Axis): readonly Group[] {
    return this.lines[axis];
  }

  /**
   * Like torch's DeviceMesh._flatten: the ranks that differ from this rank only along these axes. If only one of the
   * axes has several ranks, the plane is the line along that axis.
   */
  plane(axes: readonly Axis[], rank: Rank): Group {
    const long = axes.filter((axis) => this.shape[axis] > 1);
    const [axis = 'tp'] = [...long, ...axes];
    if (long.length < 2) return this.group(axis, rank);
    return this.newGroup(ranksAlong(long, this.coordinate(rank), this.shape), { axes: long });
  }

  /**
   * Like torch.distributed.new_group, for ranks that are not a line. If a group with these ranks exists, returns that
   * group; otherwise the new group gets the next number, as in torch.
   */
  newGroup(ranks: readonly Rank[], kind: { readonly purpose: string } | { readonly axes: readonly Axis[] }): Group {
    const known = [this.world, ...AXES.flatMap((axis) => this.lines[axis]), ...this.otherGroups];
    const isSame = (group: Group): boolean =>
      group.ranks.length === ranks.length && group.ranks.every((rank, place) => rank === ranks[place]);
    const found = known.find(isSame);
    if (found) return found;
    const made = { id: Math.max(...known.map(({ id }) => id)) + 1, ...kind, ranks };
    this.otherGroups.push(made);
    return made;
  }

  /** Ranks with the same number train on the same batch: those that differ only in stage, context or tensor part. */
  dataIndex(rank: Rank): number {
    return dataIndexOf(this.coordinate(rank), this.shape);
  }

  /** Number of different batches per step: one per data index. */
  get dataIndices(): number {
    return dataIndices(this.shape);
  }

  /** The devices that a process drives. */
  devicesOf(rank: Rank): readonly DeviceIndex[] {
    return this.devicesOfRank[rank] ?? [];
  }
}

/** Like torch's init_device_mesh with mesh_dim_names; axes without a name here have one rank. */
export function initDeviceMesh(sizes: Partial<MeshShape> = {}, options: MeshOptions = {}): DeviceMesh {
  return new DeviceMesh(shapeOf(sizes), options);
}

/** Every line of every axis, with numbers after the default group's; axes of one rank are last. */
function linesOf(mesh: DeviceMesh): DeviceMesh['lines'] {
  const lines: Record<Axis, readonly Group[]> = { pp: [], dpReplicate: [], dpShard: [], cp: [], tp: [] };
  let next = mesh.world.id + 1;
  for (const axis of [...AXES].sort((a, b) => Number(mesh.shape[a] === 1) - Number(mesh.shape[b] === 1))) {
    const size = mesh.shape[axis];
    if (size === mesh.worldSize) {
      lines[axis] = [mesh.world];
      continue;
    }
    const first = mesh.world.ranks.filter((rank) => mesh.coordinate(rank)[axis] === 0);
    lines[axis] = first.map((rank) => ({
      id: next++,
      axis,
      ranks: ranksAlong([axis], mesh.coordinate(rank), mesh.shape),
    }));
  }
  return lines;
}
