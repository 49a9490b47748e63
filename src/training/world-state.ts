/**
 * The buffers of a world that training changes (parameters, gradients, optimiser state), read and written as host
 * arrays.
 */
import { at } from '../base/invariant';
import type { InitialBuffer, InitialParameter } from '../nn/model';
import type { BufferSpec, Program } from '../program/instruction';
import type { DeviceIndex, MemoryCategory } from '../protocol/trace';
import type { BufferRef, World } from '../runtime/launch/world';
import { allocate, elements, type HostArray } from '../tensor/shape';

export type BufferValue = BufferRef & { readonly data: HostArray };

const STATEFUL: readonly MemoryCategory[] = ['parameter', 'gradient', 'optimizer', 'buffer'];

export interface WorldState {
  /** The initial weights on every device that holds them; gradients zero, optimiser state as it begins. */
  writeStart(): Promise<void>;
  write(values: readonly BufferValue[]): Promise<void>;
  read(categories?: readonly MemoryCategory[]): Promise<readonly BufferValue[]>;
}

export function createWorldState(
  world: World,
  programs: readonly Program[],
  start: readonly (InitialParameter | InitialBuffer)[],
  /** What a device begins with in place of `start`. */
  ownStart: (device: DeviceIndex) => readonly InitialParameter[] = () => [],
): WorldState {
  const buffers = statefulBuffers(programs);
  const initial = new Map(start.map((p) => [p.name, p.data]));
  const own = new Map(buffers.map(({ device }) => [device, new Map(ownStart(device).map((p) => [p.name, p.data]))]));
  return {
    writeStart: () =>
      world.write(
        buffers.map(({ device, spec }) => ({
          device,
          buffer: spec.name,
          data:
            own.get(device)?.get(spec.name) ??
            initial.get(spec.name) ??
            allocate(spec.dtype, elements(spec.shape)).fill(spec.fill ?? 0),
        })),
      ),
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
