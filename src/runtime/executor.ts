/**
 * The seam between a Program and the machine that runs it. An Executor is one memory space (a GPUDevice, or typed
 * arrays) that hosts some lanes of a set of Programs. Sends and receives between hosted lanes are copies inside; the
 * others go through the given Transport. It is not a session: it knows no datasets, no modes, no page.
 */

import type { OpTable } from '../graph/op';
import type { StartTeam } from '../graph/vectors/team';
import type { VectorPart } from '../graph/vectors/vector-op';
import type { InstructionId, Load, Program } from '../program/instruction';
import type { LanePosition } from '../program/reach';
import type { ProgramKey } from '../protocol/step-kind';
import type { Captured, DeviceIndex } from '../protocol/trace';
import type { HostArray } from '../tensor/shape';

export interface ExecutorInfo {
  readonly kind: 'webgpu' | 'cpu';
  /** e.g. 'SwiftShader (software)', 'NVIDIA ...', 'CPU (typed arrays)'. */
  readonly adapter: string;
  readonly software: boolean;
}

/** Moves slices between executors. Messages with one tag arrive in the order in which they were sent. */
export interface Transport {
  send(from: DeviceIndex, to: DeviceIndex, tag: string, data: Float32Array): void;
  recv(from: DeviceIndex, to: DeviceIndex, tag: string): Promise<Float32Array>;
}

/** Host data for a Load instruction, in the buffer's dtype and size. Asked for once per Load and step. */
export type Feed = (load: Load, device: DeviceIndex) => HostArray;

export interface Loss {
  readonly device: DeviceIndex;
  /** Of those of the Program, from 0. */
  readonly microBatch: number;
  readonly value: number;
}

/** What a traced step measured, per instruction. */
export interface InstructionRecord {
  readonly id: InstructionId;
  readonly device: DeviceIndex;
  /** Absolute microseconds (performance.timeOrigin + performance.now()), so that ranks in different workers align. */
  readonly startUs: number;
  readonly durUs: number;
  readonly captured: readonly Captured[];
}

/** Test hook: after the transfer with that tag has arrived, this is added to its first element. */
export interface Corruption {
  readonly tag: string;
  readonly add: number;
}

/**
 * A rank stops before that instruction of the step, because somebody wants it to: the executor that hosts it says so,
 * once, and goes no further with the step. What other ranks can do without it is done.
 */
export interface Stop {
  /** Of the process that stops, of those that live here. */
  readonly devices: readonly DeviceIndex[];
  readonly instruction: InstructionId;
  /** Never resolves; rejects when the step is given up. */
  reached(): Promise<never>;
}

export interface ExecutorOptions {
  readonly programs: readonly Program[];
  /** Devices of the mesh that live here. */
  readonly devices: readonly DeviceIndex[];
  readonly ops: OpTable;
  /** Kernels of WebAssembly for the CPU; absent: the plain ones do it all. */
  readonly vectors?: VectorPart | undefined;
  /** Starts other threads of the CPU that share in its kernels; absent: one thread. */
  readonly team?: StartTeam | undefined;
  /** Needed when some lane's peer lives elsewhere. */
  readonly transport?: Transport;
  /** A lane by itself is slowed down: it rests after its work until that has taken so many times as long. Default 1. */
  readonly slowdown?: number;
}

export interface Executor {
  readonly info: ExecutorInfo;
  /** Resolves when the executor can no longer be used (device lost), with the reason. Never rejects. */
  readonly lost: Promise<string>;
  /**
   * Bytes allocated for a device's buffers: what the memory planner planned. What the runtime needs beside them
   * (staging, tables) is not in it.
   */
  allocatedBytes(device: DeviceIndex): number;
  /** Write a persistent buffer. */
  write(device: DeviceIndex, buffer: string, data: HostArray): void;
  /**
   * Read buffers back, after everything submitted so far. `bits`: integers come as the floats whose bits they are,
   * since not every number of theirs is a float.
   */
  read(
    refs: readonly { readonly device: DeviceIndex; readonly buffer: string }[],
    as?: 'numbers' | 'bits',
  ): Promise<Float32Array[]>;
  /**
   * Enqueue one step of that Program. Resolves when the next step may be enqueued (at once, or after the last host
   * transfer, or when there is room for its loss), and must not be called again before; losses come later through
   * `losses()`.
   */
  step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<void> | void;
  /** Losses of the steps since the last call, in step order, one array per step; waits for them. */
  losses(): Promise<readonly (readonly Loss[])[]>;
  /**
   * Run one step instruction by instruction, timing each and capturing what it writes. Same bits as step(). Its loss
   * also appears in losses().
   */
  trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]>;
  /** Where its lanes are in the step that is under way; none between steps, and none where a step is one piece. */
  positions(): readonly LanePosition[];
  corrupt(corruption: Corruption | undefined): void;
  dispose(): void;
}
