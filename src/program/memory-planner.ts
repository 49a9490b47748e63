/**
 * Places the buffers of each device: pools and persistent buffers get regions of their own, the buffers of a step share
 * slots by lifetime. Two buffers may share a slot only when every use of the one is over before any use of the other
 * begins, in all interleavings of the queues of the mesh; a buffer that is sent is in use until the message has been
 * received. What is planned is what the runtimes allocate, byte for byte. A region is one allocation; a slot holds one
 * buffer at a time at offset 0.
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
  /** By Program, where each buffer lies. */
  readonly placements: ReadonlyMap<ProgramKey, ReadonlyMap<string, BufferPlacement>>;
  readonly bytes: number;
}

/**
 * Plans of the given devices (all of the mesh when absent). `programs` must be whole: what a device may share depends
 * on the others, too.
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
 * slot follow one another, so a buffer that comes after the one before its place and before the one behind it collides
 * with no other: a slot is asked in a few steps, however many buffers share it.
 */
function shareSlots(lane: Lane, order: Order): BufferSpec[][] {
  const uses = usesOf(lane, order);
  /** Loops, which are twice as fast as every(). */
  const strictlyBefore = (a: Use, b: Use): boolean => {
    if (a.to >= b.from) return false;
    for (const i of a.ends) for (const j of b.starts) if (!order.before(i, j)) return false;
    return true;
  };
  const slots: { readonly specs: BufferSpec[]; readonly lives: Use[] }[] = [];
  /** Where the lifetime belongs among those of a slot; -1: it collides. */
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
    // A buffer that nothing uses collides with none.
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

/** What of a buffer's lifetime decides: nothing else can come before its starts or after its ends. */
interface Use {
  /** The first instruction on each queue. */
  readonly starts: readonly Instruction[];
  /** The last one on each queue, and the receives of all messages that carry it: they come in no order. */
  readonly ends: readonly Instruction[];
  /** The turns of its earliest start and of its latest end (Order.turn). */
  readonly from: number;
  readonly to: number;
}

/** Of every buffer of the lane. Each queue runs in its order, so of its other instructions nobody need ask. */
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
  /** Sends aside. */
  readonly last: PerQueue;
  readonly received: Instruction[];
}
