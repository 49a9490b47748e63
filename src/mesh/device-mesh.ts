/**
 * The ranks of a run as a grid with named axes, after torch.distributed.device_mesh: coordinates, a process group for
 * every line of every axis, which ranks share a batch, which node each device is on. Ranks are
 * row-major with the tensor axis innermost, so its traffic stays on the fastest links. It holds no tensors and sends
 * nothing. Parallel modes describe themselves with it; compilers, training and the launchers read it.
 */
import { invariant, must } from '../base/invariant';
import { AXES, type Axis, type Group } from '../protocol/mesh';
import type { DeviceIndex, Rank } from '../protocol/trace';
import { spreadOverNodes } from './nodes';

export type MeshShape = Readonly<Record<Axis, number>>;
export type Coordinate = Readonly<Record<Axis, number>>;

export interface MeshOptions {
  /** Devices that one process drives: N under DataParallel, else 1. */
  readonly devicesPerRank?: number;
  /** Nodes that the devices are spread over. */
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
  private readonly lines: Readonly<Record<Axis, readonly Group[]>>;

  constructor(shape: MeshShape, { devicesPerRank = 1, nodes = 1 }: MeshOptions = {}) {
    for (const axis of AXES)
      invariant(Number.isInteger(shape[axis]) && shape[axis] > 0, `axis ${axis} has the size ${shape[axis]}`);
    this.shape = shape;
    this.worldSize = AXES.reduce((size, axis) => size * shape[axis], 1);
    this.world = { id: 0, ranks: Array.from({ length: this.worldSize }, (_, rank) => rank) };
    const devices = this.worldSize * devicesPerRank;
    this.rankOfDevice = Array.from({ length: devices }, (_, device) => Math.floor(device / devicesPerRank));
    this.nodeOf = spreadOverNodes(devices, nodes);
    this.lines = linesOf(this);
  }

  /** Where a rank lies on every axis. */
  coordinate(rank: Rank): Coordinate {
    invariant(this.world.ranks.includes(rank), `there is no rank ${rank} among ${this.worldSize}`);
    const place = { pp: 0, dpReplicate: 0, dpShard: 0, cp: 0, tp: 0 };
    let rest = rank;
    for (const axis of AXES.toReversed()) {
      place[axis] = rest % this.shape[axis];
      rest = Math.floor(rest / this.shape[axis]);
    }
    return place;
  }

  /** The rank at a coordinate. */
  rankAt(place: Coordinate): Rank {
    return AXES.reduce((rank, axis) => {
      invariant(place[axis] >= 0 && place[axis] < this.shape[axis], `${axis} ${place[axis]} is outside the mesh`);
      return rank * this.shape[axis] + place[axis];
    }, 0);
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
   * As torch.distributed.new_group: of ranks that are on no line. Where a group has these ranks already, it is that
   * one; else its number follows from who is in it.
   */
  newGroup(ranks: readonly Rank[], purpose: string): Group {
    const known = [this.world, ...AXES.flatMap((axis) => this.lines[axis])];
    const isSame = (group: Group): boolean =>
      group.ranks.length === ranks.length && group.ranks.every((rank, place) => rank === ranks[place]);
    const id = known.length + ranks.reduce((mask, rank) => mask + 2 ** rank, 0);
    return known.find(isSame) ?? { id, purpose, ranks };
  }

  /** Ranks with the same number train on the same batch: those that differ only in stage, context or tensor part. */
  dataIndex(rank: Rank): number {
    const { dpReplicate, dpShard } = this.coordinate(rank);
    return dpReplicate * this.shape.dpShard + dpShard;
  }

  /** How many different batches a step has: one for each data index. */
  get dataIndices(): number {
    return this.shape.dpReplicate * this.shape.dpShard;
  }

  get devices(): readonly DeviceIndex[] {
    return [...this.rankOfDevice.keys()];
  }

  /** What a process drives. */
  devicesOf(rank: Rank): readonly DeviceIndex[] {
    return this.devices.filter((device) => this.rankOfDevice[device] === rank);
  }
}

/** As torch's init_device_mesh with mesh_dim_names; axes that are not named have one rank. */
export function initDeviceMesh(sizes: Partial<MeshShape> = {}, options: MeshOptions = {}): DeviceMesh {
  return new DeviceMesh({ pp: 1, dpReplicate: 1, dpShard: 1, cp: 1, tp: 1, ...sizes }, options);
}

/** Every line of every axis, numbered on from the default group; axes of one rank come last. */
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
      ranks: Array.from({ length: size }, (_, k) => mesh.rankAt({ ...mesh.coordinate(rank), [axis]: k })),
    }));
  }
  return lines;
}
