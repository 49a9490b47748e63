/**
 * The interface between a session and the ranks, wherever the ranks run. A LocalWorld hosts devices in this thread; a
 * WorkerWorld drives one process per worker. Both run the same Programs and give bitwise the same weights. In both,
 * calls take effect in order, so a read sees the same step on every device.
 */
import type { LockstepError } from '../../base/errors';
import type { CpuSettings } from '../../parallel/vector-ops';
import type { InstructionId, Program } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import type { Straggler } from '../../protocol/config';
import type { ProgramKey } from '../../protocol/step-kind';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { DType, HostArray } from '../../tensor/shape';
import type { Corruption, ExecutorInfo, InstructionRecord, Loss } from '../executor';
import type { AdapterName } from '../webgpu/device';

/** The rows that Load instructions copy from; inputs and targets flattened per row. */
export interface DatasetTable {
  readonly inputs: HostArray;
  readonly inputWidth: number;
  /** i32: token ids. */
  readonly inputType: DType;
  readonly targets: HostArray;
  readonly targetWidth: number;
  readonly targetType: DType;
}

/** A fault injected for demonstration: just before `instruction`, the rank crashes or hangs. */
export interface Fault {
  readonly what: 'kill' | 'hang';
  readonly rank: Rank;
  readonly microBatch: number;
  readonly instruction: InstructionId;
}

export interface MicroBatchFeed {
  /** Dataset rows of the batch of each data index. */
  readonly rows: readonly Int32Array[];
  /** Dropout masks and the mode's random tensors (loads of `noise`), by device and buffer. */
  readonly masks: readonly { readonly device: DeviceIndex; readonly buffer: string; readonly data: Float32Array }[];
}

/** The host's input to one run of a Program: a step, or micro-batches of it. */
export interface StepFeed {
  readonly program: ProgramKey;
  /** The number of the first micro-batch in the run; the constructor has none. */
  readonly microBatch?: number;
  readonly fault?: Fault;
  /** The input of each micro-batch of the Program. */
  readonly microBatches: readonly MicroBatchFeed[];
  readonly scalars: Float32Array;
  /** Scalars by data index, if the ranks have taken different numbers of steps. */
  readonly scalarsOf?: readonly Float32Array[];
}

export interface BufferRef {
  readonly device: DeviceIndex;
  readonly buffer: string;
}

export interface WorldPlan {
  readonly programs: readonly Program[];
  readonly table: DatasetTable;
}

/** How the process group of a world behaves. */
export interface WorldGroupOptions {
  /** Settings of the CPU device in each process. */
  readonly cpu?: CpuSettings;
  /** How long a rank waits for another rank. */
  readonly timeoutMs: number;
  /** Artificial slowdowns, if each device has its own executor. */
  readonly slow: readonly Straggler[];
  /**
   * The adapter of each device of the mesh, if each device has its own executor. Undefined: the kind with which the
   * world is opened.
   */
  readonly adapters?: readonly (AdapterName | undefined)[];
}

/** The position of a device when its world failed. */
export interface StandsAt extends LanePosition {
  readonly program: ProgramKey;
  readonly microBatch: number | undefined;
  /** The fault that was injected there. */
  readonly fault?: Fault;
  /** How long it has waited for a message of another device. */
  readonly waitedMs?: number;
}

/** The details of a world's errors 'rank-failed' and 'timeout'. */
export interface FailureDetails {
  /** The rank that died, hangs, or was waited for. */
  readonly rank?: Rank;
  /** The fault that was injected into this rank. */
  readonly fault?: Fault;
  /** For 'timeout': the rank that waited too long. */
  readonly waiting?: Rank;
  /** Positions of all devices that could still report them. */
  readonly positions: readonly StandsAt[];
}

export interface World {
  readonly info: ExecutorInfo;
  /** The executor of each device of the mesh; a single entry if all devices share one. */
  readonly devices: readonly ExecutorInfo[];
  /**
   * Resolves when a device ('device-lost') or a rank ('rank-failed') is lost, with the error that says why. Never
   * rejects.
   */
  readonly lost: Promise<LockstepError>;
  allocatedBytes(device: DeviceIndex): Promise<number>;
  write(writes: readonly (BufferRef & { readonly data: HostArray })[]): Promise<void>;
  read(refs: readonly BufferRef[]): Promise<Float32Array[]>;
  /** Enqueues the steps; resolves with their losses. Further steps may be enqueued before that. */
  run(feeds: readonly StepFeed[]): Promise<readonly (readonly Loss[])[]>;
  trace(feed: StepFeed): Promise<{ readonly records: readonly InstructionRecord[]; readonly losses: readonly Loss[] }>;
  corrupt(corruption: Corruption | undefined): Promise<void>;
  /** Ends a rank now, like a crash: its worker, or its part of this thread. The world fails with 'rank-failed'. */
  kill(rank: Rank): Promise<void>;
  /** The positions of the devices in the running step, of the ranks in workers that answer in time. */
  positions(limitMs?: number): Promise<readonly StandsAt[]>;
  /** Fails all pending calls with this error, and refuses later calls. */
  abort(error: LockstepError): Promise<void>;
  /** Test hook: lose the device, as a driver reset would. */
  lose(): Promise<void>;
  dispose(): Promise<void>;
}
