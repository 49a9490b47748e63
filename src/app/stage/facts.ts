/**
 * What the scene wants to know about the trace at the cursor, in one place: an interface, so that the scene is built and tested without
 * knowing how the answers are derived. `facts-at.ts` answers from the rooms of src/trace.
 */
import type { DeviceIndex, MemoryCategory, Payload, Phase, Slice } from '../../protocol/trace';
import type { Activity } from './scene-types';

export interface Content {
  readonly values: Float32Array;
  /** Index of the event of this step that wrote last; undefined when the values are from before the step. */
  readonly event: number | undefined;
}

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
export interface Flight {
  readonly send: number;
  readonly recv: number;
  readonly from: DeviceIndex;
  readonly to: DeviceIndex;
  readonly slice: Slice;
  readonly payload: Payload;
  readonly bytes: number;
  readonly chunk: number | undefined;
  /** What the receiver does with it. */
  readonly apply: 'put' | 'add';
  /** 0..1 */
  readonly progress: number;
  /** What is in it: from `offset` on, as far as it was captured. */
  readonly values: Float32Array | undefined;
  readonly offset: number;
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
  now(device: DeviceIndex): DeviceNow;
  memory(device: DeviceIndex): DeviceUse;
  /** Of how many ranks a stretch of a buffer holds the sum; 0 before it holds anything. */
  summed(device: DeviceIndex, slice: Slice): number;
  readonly flights: readonly Flight[];
}
