/**
 * Which device holds which piece of each parameter and buffer. A parallel mode says it once; initial weights,
 * snapshots, hashes, checkpoints and files read it here and never ask which device happens to have a name.
 */
import { LockstepError } from '../base/errors';
import type { DeviceIndex } from '../protocol/trace';
import type { HostArray, Shape } from '../tensor/shape';
import { type Cut, isWhole, type Piece, pieceOf, wholeOf } from './piece';
import type { Placement } from './placement';
import { merge } from './slice';

/** A tensor of the model, whole. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: Shape;
}

export interface Part {
  readonly device: DeviceIndex;
  readonly piece: Piece;
}

export interface Layout {
  /** Of the whole. */
  readonly shape: Shape;
  /** Together the whole: what training changes and what is saved. Of replicas the first is saved. */
  readonly owners: readonly Part[];
  /** What other devices are sent of it, again and again: replicas of DataParallel, copies of a server's workers. */
  readonly copies: readonly Part[];
}

/** By the names of the state_dict. */
export type ShardMap = ReadonlyMap<string, Layout>;

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

/** One placement over a line of devices, as DTensor has it on a mesh of one axis. */
export const placed = (shape: Shape, placement: Placement, devices: readonly DeviceIndex[]): Layout =>
  distributed(
    shape,
    devices.map((device, index) => ({ device, cuts: [{ placement, index, count: devices.length }] })),
  );

/** A placement per axis of the mesh, outermost first, for each device. */
export const distributed = (
  shape: Shape,
  devices: readonly { readonly device: DeviceIndex; readonly cuts: readonly Cut[] }[],
): Layout => ({
  shape,
  owners: devices.map(({ device, cuts }) => ({ device, piece: pieceOf(shape, cuts) })),
  copies: [],
});

/** What the device holds of the tensor; undefined: nothing. */
export const pieceOn = ({ owners, copies }: Layout, device: DeviceIndex): Piece | undefined =>
  [...owners, ...copies].find((part) => part.device === device)?.piece;

/** Is every piece the whole? */
export const isUncut = ({ shape, owners }: Layout): boolean => owners.every(({ piece }) => isWhole(shape, piece));

/** The whole, from what its owners hold. */
export function wholeFrom<T extends HostArray>(
  name: string,
  { shape, owners }: Layout,
  dataOn: (device: DeviceIndex) => T | undefined,
): T {
  return merge(
    shape,
    owners.map(({ device, piece }) => {
      const data = dataOn(device);
      if (data) return { piece, data };
      throw new LockstepError('internal', `cuda:${device} does not hold its part of ${name}.`, 'Report this.');
    }),
  );
}
