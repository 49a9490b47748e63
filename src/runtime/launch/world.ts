/**
 * The seam between a session and the ranks: everything a session asks of the machine, wherever the ranks live. A
 * LocalWorld hosts devices in this thread; a WorkerWorld drives one process per worker. Both run the same Programs and
 * give bitwise the same weights. In both, calls take effect in the order in which they were made, so what is read is of
 * one step on every device.
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
  /** Dropout masks, and what the mode drew (loads of `noise`), by device and buffer. */
  readonly masks: readonly { readonly device: DeviceIndex; readonly buffer: string; readonly data: Float32Array }[];
}

/** What the host decides for one run of a Program: a step, or micro-batches of it. */
export interface StepFeed {
  readonly program: ProgramKey;
  /** The first one's number in the run; the constructor has none. */
  readonly microBatch?: number;
  readonly fault?: Fault;
  /** What each micro-batch of the Program takes. */
  readonly microBatches: readonly MicroBatchFeed[];
  readonly scalars: Float32Array;
  /** By data index, where their ranks have taken different numbers of steps. */
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
  /** Of the CPU device, in each process. */
  readonly cpu?: CpuSettings;
  /** How long a rank waits for another one. */
  readonly timeoutMs: number;
  /** What is slowed down by hand, where each device has an executor of its own. */
  readonly slow: readonly Straggler[];
  /**
   * What each device of the mesh computes on, where each has an executor of its own. Undefined: on the kind that the
   * world is opened with.
   */
  readonly adapters?: readonly (AdapterName | undefined)[];
}

/** Which instruction a device was at when its world failed. */
export interface StandsAt extends LanePosition {
  readonly program: ProgramKey;
  readonly microBatch: number | undefined;
  /** What it was made to do there. */
  readonly fault?: Fault;
  /** For how long it has waited for a message of another device. */
  readonly waitedMs?: number;
}

/** What the errors 'rank-failed' and 'timeout' of a world carry in their details. */
export interface FailureDetails {
  /** Who died, hangs, or was waited for. */
  readonly rank?: Rank;
  /** What was done to it on purpose. */
  readonly fault?: Fault;
  /** 'timeout': who waited too long. */
  readonly waiting?: Rank;
  /** Of all devices that could still say it. */
  readonly positions: readonly StandsAt[];
}

export interface World {
  readonly info: ExecutorInfo;
  /** What each device of the mesh computes on; where all share one, that. */
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
  /**
   * Ends a rank now, as a crash would: its worker, or what it has in this thread. The world fails with 'rank-failed'.
   */
  kill(rank: Rank): Promise<void>;
  /** Where the devices are in the step that is under way. */
  positions(): Promise<readonly StandsAt[]>;
  /** Gives everybody up who waits, with this error, and refuses what comes later. */
  abort(error: LockstepError): Promise<void>;
  /** Test hook: lose the device, as a driver reset would. */
  lose(): Promise<void>;
  dispose(): Promise<void>;
}
