/**
 * Which device holds which piece of each parameter and buffer. A parallel mode makes the map once; initial weights,
 * snapshots, hashes, checkpoints and files use it.
 */
import { LockstepError } from '../base/errors';
import type { DeviceIndex } from '../protocol/trace';
import { elements, type HostArray, type Shape } from '../tensor/shape';
import { type Cut, keyOf, type Piece, pieceOf, pieceShape, wholeOf } from './piece';
import type { Placement } from './placement';
import { merge } from './slice';

/** A whole tensor of the model. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: Shape;
}

export interface ShardPart {
  readonly device: DeviceIndex;
  readonly piece: Piece;
}

export interface Layout {
  /** Shape of the whole tensor. */
  readonly shape: Shape;
  /**
   * The pieces that training changes and checkpoints save; together they are the whole. Of replicas the first is saved.
   */
  readonly owners: readonly ShardPart[];
  /** Copies that other devices receive in every step: replicas of DataParallel, copies of a server's workers. */
  readonly copies: readonly ShardPart[];
}

/** By the names of the state_dict. */
export type ShardMap = ReadonlyMap<string, Layout>;

export const shardMap = (tensors: readonly TensorSpec[], layoutOf: (tensor: TensorSpec) => Layout): ShardMap =>
  new Map(tensors.map((tensor) => [tensor.name, layoutOf(tensor)]));

/** Every device trains its own whole tensor: DDP, a single device. */
export const replicated = (shape: Shape, devices: readonly DeviceIndex[]): Layout => ({
  shape,
  owners: devices.map((device) => ({ device, piece: wholeOf(shape) })),
  copies: [],
});

/** One device owns it, and others receive whole copies. */
export const ownedBy = (shape: Shape, owner: DeviceIndex, copies: readonly DeviceIndex[] = []): Layout => ({
  shape,
  owners: [{ device: owner, piece: wholeOf(shape) }],
  copies: copies.map((device) => ({ device, piece: wholeOf(shape) })),
});

/** cuda:0 owns it, and all other devices receive whole copies: DataParallel, a parameter server. */
export const ownedByFirst = (shape: Shape, devices: number): Layout =>
  ownedBy(
    shape,
    0,
    Array.from({ length: devices - 1 }, (_, d) => d + 1),
  );

/** One placement over a line of devices, like a DTensor on a mesh with one axis. */
export const placed = (shape: Shape, placement: Placement, devices: readonly DeviceIndex[]): Layout =>
  distributed(
    shape,
    devices.map((device, index) => ({ device, cuts: [{ placement, index, count: devices.length }] })),
  );

/** For each device, one placement per axis of the mesh, outermost first; a device without elements holds nothing. */
export const distributed = (
  shape: Shape,
  devices: readonly { readonly device: DeviceIndex; readonly cuts: readonly Cut[] }[],
): Layout => ({
  shape,
  owners: devices
    .map(({ device, cuts }) => ({ device, piece: pieceOf(shape, cuts) }))
    .filter(({ piece }) => elements(pieceShape(piece)) > 0),
  copies: [],
});

/** The device's piece of the tensor; undefined: none. */
export const pieceOn = ({ owners, copies }: Layout, device: DeviceIndex): Piece | undefined =>
  [...owners, ...copies].find((part) => part.device === device)?.piece;

/** The owners of each piece; several if it is replicated. */
export function replicasOf({ owners }: Layout): readonly (readonly [ShardPart, ...ShardPart[]])[] {
  const groups = new Map<string, [ShardPart, ...ShardPart[]]>();
  for (const part of owners) {
    const key = keyOf(part.piece);
    const group = groups.get(key);
    if (group) group.push(part);
    else groups.set(key, [part]);
  }
  return [...groups.values()];
}

/**
 * Assembles the whole from its owners' pieces. Throws if no device holds a piece; some replicas may lack it, as a rank
 * that never had a batch lacks the optimiser's states.
 */
export function wholeFrom<T extends HostArray>(
  name: string,
  layout: Layout,
  dataOn: (device: DeviceIndex) => T | undefined,
): T {
  const parts = replicasOf(layout).map((replicas) => {
    const [{ device, piece }] = replicas;
    const data = replicas.map((part) => dataOn(part.device)).find((held) => held !== undefined);
    if (data) return { piece, data };
    throw new LockstepError('internal', `cuda:${device} does not hold its piece of ${name}.`, 'Report this.');
  });
  return merge(layout.shape, parts);
}
