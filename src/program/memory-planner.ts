/**
 * Places the buffers of each device: pools and persistent buffers get their own regions, the buffers of a step share
 * slots by lifetime. Two buffers may share a slot only if every use of one ends before any use of the other begins, in
 * all interleavings of the queues of the mesh; a sent buffer is in use until the message has been received. The
 * runtimes allocate exactly what is planned, byte for byte. A region is one allocation; a slot holds one buffer at a
 * time at offset 0.
 */
import { at, must } from '../base/invariant';
import { type ProgramKey, programKey } from '../protocol/step-kind';
import type { DeviceIndex, Queue } from '../protocol/trace';
import { tensorBytes } from '../tensor/shape';
import { happensBefore, type Order } from './happens-before';
import type { BufferSpec, Instruction, Lane, Program } from './instruction';
import { readBuffers, writtenBuffers } from './instruction-access';

/** WebGPU's minStorageBufferOffsetAlignment. */
export const ALIGNMENT = 256;
export const alignedBytes = (spec: BufferSpec): number =>
  Math.max(1, Math.ceil(tensorBytes(spec) / ALIGNMENT)) * ALIGNMENT;

export interface Region {
  readonly key: string;
  readonly bytes: number;
}

export interface BufferPlacement {
  /** Index into DevicePlan.regions. */
  readonly region: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface DevicePlan {
  readonly device: DeviceIndex;
  readonly regions: readonly Region[];
  /** The place of each buffer, by Program. */
  readonly placements: ReadonlyMap<ProgramKey, ReadonlyMap<string, BufferPlacement>>;
  readonly bytes: number;
}

/**
 * Plans the given devices (default: all of the mesh). `programs` must contain all lanes, because the lifetimes on one
 * device depend on the others.
 */
export function planMemory(
  programs: readonly Program[],
  devices: readonly DeviceIndex[] = [...new Set(programs.flatMap((p) => p.lanes.map((lane) => lane.device)))],
): ReadonlyMap<DeviceIndex, DevicePlan> {
  const ordered = programs.map((program) => ({ program, order: happensBefore(program) }));
  return new Map(devices.map((device) => [device, planDevice(ordered, device)]));
}

interface Ordered {
  readonly program: Program;
  readonly order: Order;
}

function planDevice(programs: readonly Ordered[], device: DeviceIndex): DevicePlan {
  const lanes = programs.flatMap(({ program, order }) =>
    program.lanes
      .filter((lane) => lane.device === device)
      .map((lane) => ({ key: programKey(program.kind), lane, order })),
  );
  const regions: { key: string; bytes: number }[] = [];
  const regionOf = new Map<string, number>();
  const region = (key: string): number => {
    const known = regionOf.get(key);
    if (known !== undefined) return known;
    regionOf.set(key, regions.length);
    regions.push({ key, bytes: 0 });
    return regions.length - 1;
  };

  const persistent = new Map<string, BufferPlacement>();
  for (const { lane } of lanes) {
    for (const spec of lane.buffers) {
      if (!spec.persistent || persistent.has(spec.name)) continue;
      const index = region(spec.pool ? `pool:${spec.pool}` : `buffer:${spec.name}`);
      const home = must(regions[index], 'region');
      persistent.set(spec.name, { region: index, offset: home.bytes, bytes: alignedBytes(spec) });
      home.bytes += alignedBytes(spec);
    }
  }

  const placements = new Map<ProgramKey, ReadonlyMap<string, BufferPlacement>>();
  for (const { key, lane, order } of lanes) {
    const place = new Map(
      lane.buffers.filter((b) => b.persistent).map((b) => [b.name, must(persistent.get(b.name), b.name)]),
    );
    shareSlots(lane, order).forEach((slot, i) => {
      const index = region(`slot:${i}`);
      const home = must(regions[index], 'slot');
      for (const spec of slot) {
        const bytes = alignedBytes(spec);
        place.set(spec.name, { region: index, offset: 0, bytes });
        home.bytes = Math.max(home.bytes, bytes);
      }
    });
    placements.set(key, place);
  }
  return { device, regions, placements, bytes: regions.reduce((sum, r) => sum + r.bytes, 0) };
}

/**
 * Greedy by size: each buffer goes into the first slot with which none of its lifetimes collide. The lifetimes in a
 * slot are ordered, so a buffer collides with none if it does not collide with its two neighbours: a binary search
 * suffices, however many buffers share a slot.
 */
function shareSlots(lane: Lane, order: Order): BufferSpec[][] {
  const uses = usesOf(lane, order);
  /** Loops are twice as fast here as every(). */
  const strictlyBefore = (a: Use, b: Use): boolean => {
    if (a.to >= b.from) return false;
    for (const i of a.ends) for (const j of b.starts) if (!order.before(i, j)) return false;
    return true;
  };
  const slots: { readonly specs: BufferSpec[]; readonly lives: Use[] }[] = [];
  /** The position of the lifetime among those of a slot; -1: it collides. */
  const placeIn = (lives: readonly Use[], use: Use): number => {
    let [low, high] = [0, lives.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(lives, middle).from < use.from) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [lives[low - 1], lives[low]];
    return (before && !strictlyBefore(before, use)) || (after && !strictlyBefore(use, after)) ? -1 : low;
  };
  const bySize = lane.buffers
    .filter((b) => !b.persistent)
    .map((spec, i) => ({ spec, i, bytes: alignedBytes(spec) }))
    .sort((a, b) => b.bytes - a.bytes || a.i - b.i);
  for (const { spec } of bySize) {
    const use = uses.get(spec.name);
    // An unused buffer collides with none.
    const home = slots.find(({ specs, lives }) => {
      const place = use ? placeIn(lives, use) : 0;
      if (place < 0) return false;
      specs.push(spec);
      if (use) lives.splice(place, 0, use);
      return true;
    });
    if (!home) slots.push({ specs: [spec], lives: use ? [use] : [] });
  }
  return slots.map(({ specs }) => specs);
}

/** The ends of a buffer's lifetime: no other use can be before `starts` or after `ends`. */
interface Use {
  /** The first instruction on each queue. */
  readonly starts: readonly Instruction[];
  /**
   * The last instruction on each queue, and the receives of all messages that carry the buffer, which have no order.
   */
  readonly ends: readonly Instruction[];
  /** The turns of its earliest start and of its latest end (Order.turn). */
  readonly from: number;
  readonly to: number;
}

/** Lifetimes of all buffers of the lane. Queues run in order, so only the first and last use on each queue matter. */
function usesOf(lane: Lane, order: Order): ReadonlyMap<string, Use> {
  const seen = new Map<string, Seen>();
  for (const instruction of lane.instructions) {
    for (const names of [readBuffers(instruction), writtenBuffers(instruction)]) {
      for (const name of names) {
        let of = seen.get(name);
        if (!of) {
          of = { first: {}, last: {}, received: [] };
          seen.set(name, of);
        }
        of.first[instruction.queue] ??= instruction;
        if (instruction.kind === 'send') of.received.push(order.done(instruction));
        else of.last[instruction.queue] = instruction;
      }
    }
  }
  const present = ({ compute, comm }: PerQueue): Instruction[] => [compute, comm].filter((i) => i !== undefined);
  return new Map(
    [...seen].map(([name, { first, last, received }]) => {
      const [starts, ends] = [present(first), [...present(last), ...received]];
      const turns = (of: readonly Instruction[]): readonly number[] => of.map((i) => order.turn(i));
      return [name, { starts, ends, from: Math.min(...turns(starts)), to: Math.max(...turns(ends)) }];
    }),
  );
}

type PerQueue = Partial<Record<Queue, Instruction>>;

interface Seen {
  readonly first: PerQueue;
  /** Last use on each queue, without sends. */
  readonly last: PerQueue;
  readonly received: Instruction[];
}
