/**
 * Which device holds which piece of each parameter and buffer. A parallel mode says it once; initial weights,
 * snapshots, hashes, checkpoints and files read it here and never ask which device happens to have a name.
 */
import { LockstepError } from '../base/errors';
import type { DeviceIndex } from '../protocol/trace';
import { elements, type HostArray, type Shape } from '../tensor/shape';
import { type Cut, keyOf, type Piece, pieceOf, pieceShape, wholeOf } from './piece';
import type { Placement } from './placement';
import { merge } from './slice';

/** A tensor of the model, whole. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: Shape;
}

export interface ShardPart {
  readonly device: DeviceIndex;
  readonly piece: Piece;
}

export interface Layout {
  /** Of the whole. */
  readonly shape: Shape;
  /** Together the whole: what training changes and what is saved. Of replicas the first is saved. */
  readonly owners: readonly ShardPart[];
  /** What other devices are sent of it, again and again: replicas of DataParallel, copies of a server's workers. */
  readonly copies: readonly ShardPart[];
}

/** By the names of the state_dict. */
export type ShardMap = ReadonlyMap<string, Layout>;

export const shardMap = (tensors: readonly TensorSpec[], layoutOf: (tensor: TensorSpec) => Layout): ShardMap =>
  new Map(tensors.map((tensor) => [tensor.name, layoutOf(tensor)]));

/** Every device trains a whole of its own: DDP, a single device. */
export const replicated = (shape: Shape, devices: readonly DeviceIndex[]): Layout => ({
  shape,
  owners: devices.map((device) => ({ device, piece: wholeOf(shape) })),
  copies: [],
});

/** One device has it, and others are sent the whole of it. */
export const ownedBy = (shape: Shape, owner: DeviceIndex, copies: readonly DeviceIndex[] = []): Layout => ({
  shape,
  owners: [{ device: owner, piece: wholeOf(shape) }],
  copies: copies.map((device) => ({ device, piece: wholeOf(shape) })),
});

/** cuda:0 has it, and all other devices are sent the whole of it: DataParallel, a parameter server. */
export const ownedByFirst = (shape: Shape, devices: number): Layout =>
  ownedBy(
    shape,
    0,
    Array.from({ length: devices - 1 }, (_, d) => d + 1),
  );

/** One placement over a line of devices, as DTensor has it on a mesh of one axis. */
export const placed = (shape: Shape, placement: Placement, devices: readonly DeviceIndex[]): Layout =>
  distributed(
    shape,
    devices.map((device, index) => ({ device, cuts: [{ placement, index, count: devices.length }] })),
  );

/** A placement per axis of the mesh, outermost first, for each device; one that gets no element holds nothing. */
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

/** What the device holds of the tensor; undefined: nothing. */
export const pieceOn = ({ owners, copies }: Layout, device: DeviceIndex): Piece | undefined =>
  [...owners, ...copies].find((part) => part.device === device)?.piece;

/** The owners of each piece; more than one where it is replicated. */
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
 * The whole, from what its owners hold. Throws where nobody holds a piece; of its replicas some may be without it, as a
 * rank that has never had a batch is without the optimiser's states.
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
