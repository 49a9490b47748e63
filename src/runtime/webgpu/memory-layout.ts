/**
 * The places of all buffers of the hosted devices. The memory planner gives each device its regions; here the same
 * region of all devices becomes one GPUBuffer, device after device without gaps, so that equal devices are at a
 * constant stride and one dispatch can run a kernel for all of them. A pool is laid out name by name, and device by
 * device within a name, so that two parameters of one pool have disjoint ranges, as WebGPU requires of writable
 * bindings. Numbers only; `executor-memory.ts` allocates.
 */
import { at, must } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import type { BufferSpec, Program } from '../../program/instruction';
import { ALIGNMENT, alignedBytes, type DevicePlan, planMemory } from '../../program/memory-planner';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { BoundRange } from './dispatch';
import { MANY } from './in-many-buffers';

export interface Location {
  /** Index into MemoryLayout.buffers. */
  readonly buffer: number;
  /** Bytes from the start of the GPUBuffer. */
  readonly offset: number;
  readonly bytes: number;
  /** Bytes from `offset` on that are reserved while this buffer lives: its slot, or its own bytes. */
  readonly area: number;
  readonly spec: BufferSpec;
}

export interface BufferPlan {
  readonly label: string;
  readonly bytes: number;
}

export interface MemoryLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
}

/** First byte of a device's region, and for pools of each of its buffers. */
interface RegionHome {
  readonly buffer: number;
  readonly offset: number;
  readonly area: number;
  readonly members?: ReadonlyMap<string, { readonly offset: number; readonly area: number }>;
}

export class MemoryLayout {
  readonly plans: ReadonlyMap<DeviceIndex, DevicePlan>;
  private readonly list: BufferPlan[] = [];
  private readonly homes = new Map<DeviceIndex, Map<string, RegionHome>>();
  private readonly specs = new Map<string, BufferSpec>();
  /** Index of the buffer of spares(). */
  private spare: number | undefined;
  /** Index of the buffer of copyStaging(). */
  private staging: number | undefined;

  constructor(
    private readonly programs: readonly Program[],
    devices: readonly DeviceIndex[],
    private readonly limits: MemoryLimits,
  ) {
    this.plans = planMemory(programs, devices);
    for (const device of devices) this.homes.set(device, new Map());
    for (const program of programs) {
      for (const lane of program.lanes)
        for (const spec of lane.buffers)
          this.specs.set(`${programKey(program.kind)} ${lane.device} ${spec.name}`, spec);
    }
    const keys = new Set([...this.plans.values()].flatMap((plan) => plan.regions.map((region) => region.key)));
    // A device with larger buffers than the others (device 0 of DataParallel) is last, so that the devices before it
    // have a constant stride.
    const bySize = [...devices].sort((a, b) => this.planOf(a).bytes - this.planOf(b).bytes || a - b);
    for (const key of keys) {
      const holders = bySize.filter((device) => this.bytesOf(key, device) > 0);
      const shared = holders.length > 1 && this.lay(key, holders, key);
      // Too large for one GPUBuffer: one per device, and the kernels run device by device.
      if (!shared) for (const device of holders) this.lay(key, [device], `${key} of cuda:${device}`);
    }
  }

  get buffers(): readonly BufferPlan[] {
    return this.list;
  }

  /** Bytes laid out for a device. */
  bytesOn(device: DeviceIndex): number {
    return [...must(this.homes.get(device), `cuda:${device}`).values()].reduce((sum, { area }) => sum + area, 0);
  }

  /** A buffer of the runtime's own (staging); returns its index. */
  reserve(label: string, bytes: number): number {
    this.list.push({ label, bytes: Math.max(256, Math.ceil(bytes / 256) * 256) });
    return this.list.length - 1;
  }

  /** All of a buffer, as a binding. */
  whole(buffer: number): BoundRange {
    return { buffer, offset: 0, size: at(this.list, buffer).bytes };
  }

  /**
   * Ranges for bindings that a dispatch does not use. WebGPU refuses overlapping writable bindings, so no two ranges
   * overlap.
   */
  spares(count: number): readonly BoundRange[] {
    if (count === 0) return [];
    this.spare ??= this.reserve('unused bindings', MANY * ALIGNMENT);
    const buffer = this.spare;
    return Array.from({ length: count }, (_, k) => ({ buffer, offset: k * ALIGNMENT, size: ALIGNMENT }));
  }

  /** A buffer of at least so many bytes for copies within one GPUBuffer; all copies use it one after the other. */
  copyStaging(bytes: number): number {
    if (this.staging === undefined || at(this.list, this.staging).bytes < bytes)
      this.staging = this.reserve('copies', bytes);
    return this.staging;
  }

  locate(key: ProgramKey, device: DeviceIndex, name: string): Location {
    const found = this.find(key, device, name);
    return must(found, `buffer ${name} on cuda:${device} in program '${key}'`);
  }

  find(program: ProgramKey, device: DeviceIndex, name: string): Location | undefined {
    const plan = this.plans.get(device);
    const spec = this.specs.get(`${program} ${device} ${name}`);
    const placement = plan?.placements.get(program)?.get(name);
    if (!plan || !spec || !placement) return undefined;
    const { key } = at(plan.regions, placement.region);
    const home = must(this.homes.get(device)?.get(key), `region ${key}`);
    const place = home.members ? must(home.members.get(name), name) : home;
    return { buffer: home.buffer, offset: place.offset, area: place.area, bytes: placement.bytes, spec };
  }

  /**
   * Lays a region of all holders into one buffer; false when it would be too large (an error when there is one holder).
   */
  private lay(key: string, holders: readonly DeviceIndex[], label: string): boolean {
    const pool = key.startsWith('pool:');
    const homes = new Map<DeviceIndex, Map<string, { offset: number; area: number }>>(
      holders.map((device) => [device, new Map()]),
    );
    let bytes = 0;
    if (pool) {
      for (const [name, owners] of this.poolMembers(key, holders)) {
        for (const [device, spec] of owners) {
          homes.get(device)?.set(name, { offset: bytes, area: alignedBytes(spec) });
          bytes += alignedBytes(spec);
        }
      }
    } else {
      for (const device of holders) bytes += this.bytesOf(key, device);
    }
    const limit = Math.min(this.limits.maxBufferSize, this.limits.maxStorageBufferBindingSize);
    if (bytes > limit) {
      if (holders.length > 1) return false;
      throw refusedSettings({
        code: 'memory',
        settings: { device: 'webgpu' },
        why: `${label} needs ${bytes.toLocaleString('en')} bytes, and this adapter allows ${limit.toLocaleString('en')} in one buffer (maxBufferSize, maxStorageBufferBindingSize)`,
        hint: 'Use a smaller model or batch, or train on the CPU (device "cpu").',
        details: { bytes, limit },
      });
    }
    const buffer = this.list.push({ label, bytes }) - 1;
    let offset = 0;
    for (const device of holders) {
      const area = this.bytesOf(key, device);
      const members = pool ? { members: must(homes.get(device), 'home') } : {};
      must(this.homes.get(device), `cuda:${device}`).set(key, { buffer, offset: pool ? 0 : offset, area, ...members });
      offset += area;
    }
    return true;
  }

  private planOf(device: DeviceIndex): DevicePlan {
    return must(this.plans.get(device), `a memory plan of cuda:${device}`);
  }

  /** Bytes of a device's region; 0 when it has none of that key. */
  private bytesOf(key: string, device: DeviceIndex): number {
    return this.planOf(device).regions.find((region) => region.key === key)?.bytes ?? 0;
  }

  /** Buffers of a pool with the devices that hold them, in order of first appearance. */
  private poolMembers(key: string, holders: readonly DeviceIndex[]): ReadonlyMap<string, [DeviceIndex, BufferSpec][]> {
    const members = new Map<string, [DeviceIndex, BufferSpec][]>();
    for (const device of holders) {
      const lanes = this.programs.flatMap((program) => program.lanes.filter((lane) => lane.device === device));
      for (const spec of lanes.flatMap((lane) => lane.buffers)) {
        if (!spec.persistent || `pool:${spec.pool}` !== key) continue;
        const owners = members.get(spec.name) ?? [];
        if (!owners.some(([owner]) => owner === device)) owners.push([device, spec]);
        members.set(spec.name, owners);
      }
    }
    return members;
  }
}
