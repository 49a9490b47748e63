/**
 * The buffers of a world that training changes (parameters, gradients, optimiser state), read and written as host
 * arrays.
 */
import { at, must } from '../base/invariant';
import type { InitialBuffer, InitialParameter } from '../nn/model';
import type { BufferSpec, Program } from '../program/instruction';
import { filled } from '../program/stored-tensor';
import type { DeviceIndex, MemoryCategory } from '../protocol/trace';
import type { BufferRef, World } from '../runtime/launch/world';
import { pieceOn, type ShardMap } from '../sharding/shard-map';
import { slice } from '../sharding/slice';
import { elements, type HostArray } from '../tensor/shape';

export type BufferValue = BufferRef & { readonly data: HostArray };

const STATEFUL: readonly MemoryCategory[] = ['parameter', 'gradient', 'optimizer', 'buffer'];

export interface WorldState {
  /** Writes to every device its piece of the initial weights, zero gradients, and the initial optimiser state. */
  writeStart(): Promise<void>;
  write(values: readonly BufferValue[]): Promise<void>;
  read(categories?: readonly MemoryCategory[]): Promise<readonly BufferValue[]>;
}

export function createWorldState(
  world: World,
  programs: readonly Program[],
  shards: ShardMap,
  start: readonly Initial[],
  /** Initial values of a device in place of `start`. */
  ownStart: (device: DeviceIndex) => readonly InitialParameter[] = () => [],
): WorldState {
  const buffers = statefulBuffers(programs);
  const initial = startOn(shards, start);
  const devices = new Set(buffers.map(({ device }) => device));
  const own = new Map([...devices].map((device) => [device, startOn(shards, ownStart(device))]));
  return {
    async writeStart() {
      const oneByOne = buffers.some(({ spec }) => elements(spec.shape) > LARGE);
      for (const piece of oneByOne ? buffers.map((one) => [one]) : [buffers])
        await world.write(
          piece.map(({ device, spec }) => ({
            device,
            buffer: spec.name,
            data: own.get(device)?.(device, spec.name) ?? initial(device, spec.name) ?? filled(spec),
          })),
        );
    },
    write: (values) => world.write(values),
    async read(categories = STATEFUL) {
      const refs = buffers
        .filter(({ spec }) => categories.includes(spec.category))
        .map(({ device, spec }) => ({ device, buffer: spec.name }));
      const values = await world.read(refs);
      return refs.map((ref, i) => ({ ...ref, data: at(values, i) }));
    },
  };
}

/** In elements. For larger models, zeros for all gradients and states would double the memory. */
const LARGE = 2 ** 22;

type Initial = InitialParameter | InitialBuffer;

/** A device's part of an initial value; undefined if the name is not one of the initial values. */
export function startOn(
  shards: ShardMap,
  start: readonly Initial[],
): (device: DeviceIndex, name: string) => HostArray | undefined {
  const wholes = new Map(start.map((tensor) => [tensor.name, tensor.data]));
  return (device, name) => {
    const whole = wholes.get(name);
    if (!whole) return undefined;
    const layout = must(shards.get(name), `the layout of ${name}`);
    return slice(whole, layout.shape, must(pieceOn(layout, device), `the piece of ${name} on cuda:${device}`));
  };
}

/** A buffer that a checkpoint holds. */
export interface Stateful {
  readonly device: DeviceIndex;
  readonly spec: BufferSpec;
}

export function statefulBuffers(programs: readonly Program[]): readonly Stateful[] {
  const found = new Map<string, Stateful>();
  for (const { lanes } of programs) {
    for (const { device, buffers } of lanes) {
      for (const spec of buffers) {
        if (spec.persistent && STATEFUL.includes(spec.category)) found.set(`${device} ${spec.name}`, { device, spec });
      }
    }
  }
  return [...found.values()];
}
