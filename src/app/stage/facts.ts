/**
 * What the scene wants to know about the trace at the cursor, in one place: an interface, so that the scene is built
 * and tested without knowing how the answers are derived. `facts-at.ts` answers from the rooms of src/trace.
 */
import type { DeviceIndex, MemoryCategory, Phase, Slice } from '../../protocol/trace';
import type { Content } from '../../trace/contents';
import type { Packet } from '../../trace/packets';
import type { Activity } from './scene-types';

export interface DeviceNow {
  readonly activity: Activity;
  readonly phase: Phase | undefined;
  readonly module: string;
  /** What it does, longest first. */
  readonly words: readonly string[];
  /** The event it is busy with. */
  readonly event: number | undefined;
}

/** A transfer that is under way at the cursor. */
export interface Transit {
  readonly packet: Packet;
  /** How much of its way it has made, 0..1. */
  readonly progress: number;
  /** What it carries, from its first element as far as it was captured. */
  readonly values: Float32Array | undefined;
}

export interface DeviceUse {
  readonly bytes: Readonly<Partial<Record<MemoryCategory, number>>>;
  readonly peakBytes: number;
  readonly budgetBytes: number;
}

export interface StageFacts {
  /** Index of the event at the cursor; -1 before the first. */
  readonly event: number;
  content(device: DeviceIndex, buffer: string): Content | undefined;
  /** How many elements of a stretch were captured, from its first on. */
  known(device: DeviceIndex, slice: Slice): number;
  now(device: DeviceIndex): DeviceNow;
  /** The module that the device has worked on last, up to the cursor; '' before the first. */
  lastModule(device: DeviceIndex): string;
  memory(device: DeviceIndex): DeviceUse;
  /** Of how many ranks a stretch of a buffer holds the sum; 0 before it holds anything. */
  summed(device: DeviceIndex, slice: Slice): number;
  /** The event at the cursor wrote into the stretch. */
  wrote(device: DeviceIndex, slice: Slice): boolean;
  readonly transits: readonly Transit[];
}
