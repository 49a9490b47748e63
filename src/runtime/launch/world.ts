/**
 * The seam between a session and the ranks: everything a session asks of the machine, wherever the ranks live. A LocalWorld hosts devices in this
 * thread; a WorkerWorld drives one process a worker. Both run the same Programs and give bitwise the same weights. In both, calls take effect in the
 * order in which they were made, so what is read is of one step on every device.
 */
import type { LockstepError } from '../../base/errors';
import type { Program } from '../../program/instruction';
import type { DeviceIndex } from '../../protocol/trace';
import type { DType, HostArray } from '../../tensor/shape';
import type { Corruption, ExecutorInfo, InstructionRecord, Loss } from '../executor';

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

/** What the host decides for one step. */
export interface StepFeed {
  readonly variant: string;
  /** Dataset rows of each process's batch. */
  readonly rows: readonly Int32Array[];
  /** Dropout masks by device and buffer. */
  readonly masks: readonly { readonly device: DeviceIndex; readonly buffer: string; readonly data: Float32Array }[];
  readonly scalars: Float32Array;
}

export interface BufferRef {
  readonly device: DeviceIndex;
  readonly buffer: string;
}

export interface WorldPlan {
  readonly programs: readonly Program[];
  readonly table: DatasetTable;
}

export interface World {
  readonly info: ExecutorInfo;
  /** Resolves when a device ('device-lost') or a rank ('rank-failed') is lost, with the error that says why. Never rejects. */
  readonly lost: Promise<LockstepError>;
  allocatedBytes(device: DeviceIndex): Promise<number>;
  write(writes: readonly (BufferRef & { readonly data: HostArray })[]): Promise<void>;
  read(refs: readonly BufferRef[]): Promise<Float32Array[]>;
  /** Enqueues the steps; resolves with their losses. Further steps may be enqueued before that. */
  run(feeds: readonly StepFeed[]): Promise<readonly (readonly Loss[])[]>;
  trace(feed: StepFeed): Promise<{ readonly records: readonly InstructionRecord[]; readonly losses: readonly Loss[] }>;
  corrupt(corruption: Corruption | undefined): Promise<void>;
  /** Test hook: lose the device, as a driver reset would. */
  lose(): Promise<void>;
  dispose(): Promise<void>;
}
