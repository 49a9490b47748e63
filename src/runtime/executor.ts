/**
 * The interface between a Program and the machine that runs it. An Executor is one memory space (a GPUDevice, or typed
 * arrays) that hosts some lanes of a set of Programs. Messages between hosted lanes are copies inside this memory;
 * other messages go through the given Transport. An Executor knows no datasets, no modes, no page.
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
  /**
   * How kernels of a run with float16 on a GPU convert halves: with WGSL's f16, or in whole numbers on packed words
   * because the adapter has no f16, or because the adapter's f16 is 'inexact'. The bits are the same.
   */
  readonly float16?: 'f16' | 'packed' | 'inexact';
  /**
   * Sums of rows use WGSL's subgroups: between this many neighbours, the least size of a subgroup on this GPU. Absent:
   * they use workgroup memory alone. The bits are the same.
   */
  readonly subgroups?: number;
}

/** Memory for a received message: an array, and a view of its bits. */
export interface MessageSpace {
  readonly data: Float32Array;
  readonly bits: Int32Array;
}

/** Moves slices between executors. Messages with one tag arrive in the order in which they were sent. */
export interface Transport {
  send(from: DeviceIndex, to: DeviceIndex, tag: string, data: Float32Array): void;
  recv(from: DeviceIndex, to: DeviceIndex, tag: string): Promise<Float32Array>;
  /**
   * As send(), but the elements, given as their bits, are copied at once, and the receiver may sleep until wake() is
   * called. False: nothing was sent, so call send(). Absent: only send() sends.
   */
  put?(to: DeviceIndex, tag: string, bits: Int32Array): boolean;
  /** Wakes the receivers of all messages that put() has sent. */
  wake?(): void;
  /**
   * A message that has already arrived, taken in place of recv(). Absent: only recv() gives messages. If the message
   * has as many elements as `space`, it may be copied there and be `space.data`.
   */
  take?(from: DeviceIndex, to: DeviceIndex, tag: string, space?: MessageSpace): Float32Array | undefined;
  /**
   * Blocks the thread until a message arrives; false: the events of the thread must be handled first. Absent: the
   * thread may not be blocked.
   */
  block?(): boolean;
}

/** Host data for a Load instruction, in the buffer's dtype and size. Called once per Load and step. */
export type Feed = (load: Load, device: DeviceIndex) => HostArray;

export interface Loss {
  readonly device: DeviceIndex;
  /** Index of the micro-batch within the Program, from 0. */
  readonly microBatch: number;
  readonly value: number;
}

/** The measurement of one instruction in a traced step. */
export interface InstructionRecord {
  readonly id: InstructionId;
  readonly device: DeviceIndex;
  /** Absolute microseconds (performance.timeOrigin + performance.now()), so that ranks in different workers align. */
  readonly startUs: number;
  readonly durUs: number;
  readonly captured: readonly Captured[];
}

/** Test hook: after the transfer with this tag has arrived, `add` is added to its first element. */
export interface Corruption {
  readonly tag: string;
  readonly add: number;
}

/**
 * Makes a rank stop before an instruction of the step: the executor that hosts the rank reports it once, and runs no
 * more of the step. Other ranks run everything that does not depend on the stopped rank.
 */
export interface Stop {
  /** Hosted devices of the process that stops. */
  readonly devices: readonly DeviceIndex[];
  readonly instruction: InstructionId;
  /** Never resolves; rejects when the step is given up. */
  reached(): Promise<never>;
}

export interface ExecutorOptions {
  readonly programs: readonly Program[];
  /** Devices of the mesh that this executor hosts. */
  readonly devices: readonly DeviceIndex[];
  readonly ops: OpTable;
  /** WebAssembly kernels for the CPU; absent: only plain kernels. */
  readonly vectors?: VectorPart | undefined;
  /** Starts more CPU threads for kernels; absent: one thread. */
  readonly team?: StartTeam | undefined;
  /** Needed if a lane's peer is hosted elsewhere. */
  readonly transport?: Transport;
  /**
   * Slows down a single hosted lane: after its work it rests until the work has taken this many times as long. Default
   * 1.
   */
  readonly slowdown?: number;
}

export interface Executor {
  readonly info: ExecutorInfo;
  /** Resolves when the executor can no longer be used (device lost), with the reason. Never rejects. */
  readonly lost: Promise<string>;
  /**
   * Bytes allocated for a device's buffers: what the memory planner planned. The runtime's own memory (staging, tables)
   * is not included.
   */
  allocatedBytes(device: DeviceIndex): number;
  /** Writes the elements of a persistent buffer; those of a tensor in half precision are rounded. */
  write(device: DeviceIndex, buffer: string, data: HostArray): void;
  /**
   * Reads buffers back, after everything submitted so far. Tensors in half precision are returned as float32. `bits`:
   * integers, and words of halves, are returned as floats with the same bits, because not every integer is exact as a
   * float.
   */
  read(
    refs: readonly { readonly device: DeviceIndex; readonly buffer: string }[],
    as?: 'numbers' | 'bits',
  ): Promise<Float32Array[]>;
  /**
   * Enqueues one step of the Program. Resolves when the next step may be enqueued (at once, or after the last host
   * transfer, or when there is room for its loss); do not call it again before. `losses()` returns the losses later.
   */
  step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<void> | void;
  /** Losses of the steps since the last call, in step order, one array per step; waits for them. */
  losses(): Promise<readonly (readonly Loss[])[]>;
  /**
   * Run one step instruction by instruction, timing each and capturing what it writes. Same bits as step(). Its loss
   * also appears in losses().
   */
  trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]>;
  /** The positions of its lanes in the running step; empty between steps, and if a step is one piece. */
  positions(): readonly LanePosition[];
  corrupt(corruption: Corruption | undefined): void;
  dispose(): void;
}
