/**
 * The trace of a run: one event per instruction that ran, in one schema for measured and modelled time. `runtime` makes
 * the measured events, `simulator` gives the same events a second clock; views read only traces. Plain data that
 * crosses the worker wall by structured clone.
 */

import type { AlgorithmName, CollectiveOp, ReduceOp } from './collective';
import type { Group } from './mesh';
import type { PipelineAction } from './pipeline';
import type { StepKind } from './step-kind';

/** Index of a device in the mesh: cuda:0, cuda:1 ... */
export type DeviceIndex = number;
/** Index of a process, as torch.distributed counts. DataParallel and model parallel are one process with N devices. */
export type Rank = number;
export type Queue = 'compute' | 'comm';
/** measured: time on this machine. modelled: time on the chosen hardware. Never mixed, always labelled. */
export type Clock = 'measured' | 'modelled';
export type Phase =
  | 'data'
  | 'scatter'
  | 'replicate'
  | 'forward'
  | 'gather'
  | 'loss'
  | 'backward'
  | 'reduce'
  | 'step'
  | 'broadcast';
/** The contents of a packet, which decide its colour on the stage. */
export type Payload = 'data' | 'activation' | 'gradient' | 'parameter';
export const MEMORY_CATEGORIES = [
  'parameter',
  /** Whole parameters that ranks have gathered from their shards, for as long as a unit needs them. */
  'unsharded',
  'gradient',
  'optimizer',
  /** Kept between steps and not trained: BatchNorm's running statistics. */
  'buffer',
  'bucket',
  'activation',
  'data',
  'communication',
] as const;
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number];

/** How a receive combines an element: own = own <apply> received; 'put' overwrites. The bitwise ones take int32. */
export type Apply = 'put' | 'add' | 'multiply' | 'min' | 'max' | 'band' | 'bor' | 'bxor';

/** A stretch of a buffer, in elements (float32 unless the buffer says otherwise). */
export interface Slice {
  readonly buffer: string;
  readonly offset: number;
  readonly length: number;
}

/** Which collective a transfer belongs to. Field names follow PyTorch's flight recorder where it has them. */
export interface CollectiveRef {
  /** Position in the sequence of collectives of its group, from 0, within the step. */
  readonly seq: number;
  readonly op: CollectiveOp;
  readonly algorithm: AlgorithmName | 'direct';
  /** Absent: the default group of all ranks. */
  readonly group?: Group;
  /** The tensor that each rank contributes; absent if these differ. */
  readonly tensor?: { readonly length: number; readonly dtype: 'f32' | 'i32' };
  /** For collectives that reduce; absent: 'sum'. */
  readonly reduceOp?: ReduceOp;
  /** The half of an all-reduce: summing, or distributing the sums. */
  readonly part?: 'reduce-scatter' | 'all-gather';
  readonly bucket?: number;
  /** Chunk index and count within the bucket. */
  readonly chunk?: number;
  readonly chunks?: number;
  readonly round?: number;
  readonly rounds?: number;
  /** After this transfer the chunk holds the sum of that many ranks. */
  readonly summed?: number;
}

export type EventKind = 'compute' | 'send' | 'recv' | 'load' | 'wait';

/** A sample of a buffer's contents right after the event: `values[i]` is element `offset + i`. */
export interface Captured {
  readonly buffer: string;
  readonly offset: number;
  readonly values: Float32Array;
}

export interface TraceEvent {
  /** Instruction id in the Program: unique over all devices; the same for every step that replays the Program. */
  readonly id: number;
  readonly device: DeviceIndex;
  readonly rank: Rank;
  readonly queue: Queue;
  readonly kind: EventKind;
  /** Kernel path ('ops/linear'), or 'send', 'recv', 'load', 'wait'. */
  readonly name: string;
  readonly phase: Phase;
  /** Module path as in PyTorch's state_dict ('0', '2'); '' when none. */
  readonly module: string;
  /** Key of the PyTorch line that the event stands for (see CodeLine.anchor). */
  readonly anchor: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly bytes: number;
  readonly flops: number;
  /** Send and receive: the other device, the moved slice, its contents, and the id of the matching event there. */
  readonly peer?: DeviceIndex;
  readonly slice?: Slice;
  readonly payload?: Payload;
  readonly apply?: Apply;
  readonly match?: number;
  readonly collective?: CollectiveRef;
  readonly bucket?: number;
  /** The action of a pipeline's schedule that it belongs to; for a message, the action that made the sent tensor. */
  readonly action?: PipelineAction;
  /** Ids of the events that it had to wait for (without queue order). */
  readonly deps: readonly number[];
  /** Measured, microseconds from the start of the step. */
  readonly startUs: number;
  readonly durUs: number;
  /** Contents of the buffers that it wrote, the first elements of each (see CAPTURE_LIMIT). */
  readonly captured: readonly Captured[];
}

/** Number of first elements captured of each buffer that an event writes; more for a sample (SAMPLE_LIMIT). */
export const CAPTURE_LIMIT = 1024;

/**
 * The first sample of a batch of images or token rows is captured whole if it has at most this many elements, so that
 * all its feature maps, and the queries, keys and values of all its tokens, can be drawn.
 */
export const SAMPLE_LIMIT = 8192;

/** How many elements of a buffer of that shape are captured. */
export function capturedElements([rows = 1, ...row]: readonly number[]): number {
  const sample = row.reduce((n, d) => n * d, 1);
  const most = row.length > 1 && sample <= SAMPLE_LIMIT ? Math.max(CAPTURE_LIMIT, sample) : CAPTURE_LIMIT;
  return Math.min(rows * sample, most);
}

export interface BufferInfo {
  readonly device: DeviceIndex;
  readonly name: string;
  readonly shape: readonly number[];
  /** Its elements are halves, of two bytes. */
  readonly half?: true;
  readonly category: MemoryCategory;
  /** Bytes on the device, padding included. */
  readonly bytes: number;
  readonly persistent: boolean;
  /** CPU offload: counts as memory of the host. */
  readonly onHost?: true;
}

export interface DeviceMemory {
  readonly device: DeviceIndex;
  readonly budgetBytes: number;
  /** Peak bytes allocated, after sharing memory by lifetime. */
  readonly peakBytes: number;
  readonly byCategory: Readonly<Record<MemoryCategory, number>>;
  /** Bytes in the host's memory, with CPU offload. */
  readonly hostBytes?: number;
  /** Every allocation, largest first; together `peakBytes` and `hostBytes`. */
  readonly entries: readonly MemoryEntry[];
}

/** One stretch of memory and the tensors that live in it, at the same time or one after the other. */
export interface MemoryEntry {
  readonly category: MemoryCategory;
  readonly bytes: number;
  readonly onHost?: boolean;
  readonly tensors: readonly string[];
}

/** A tensor of which each of several devices has a piece or an addend. */
export interface TensorPart {
  readonly device: DeviceIndex;
  readonly buffer: string;
  /** Shape of the whole tensor. */
  readonly shape: readonly number[];
  /** For each dimension, ranges of indices of the whole; the piece has every combination of these indices. */
  readonly ranges: readonly (readonly { readonly start: number; readonly length: number }[])[];
  /** Index, if it is one of several addends of the whole. */
  readonly addend?: number;
}

/** The time of an event on the modelled hardware, in microseconds since the start of the step. */
export interface ModelledTime {
  readonly startUs: number;
  readonly durUs: number;
  /** The part of durUs that the collective took to start, before the message; absent: 0. */
  readonly startingUs?: number;
}

/** One traced micro-batch; a whole step if steps have only one. `modelled[i]` belongs to `events[i]`. */
export interface StepTrace {
  /** Before it in the run. */
  readonly microBatch: number;
  /** The optimizer step that the micro-batch belongs to. */
  readonly step: number;
  /** Micro-batches per step. */
  readonly accumulate: number;
  readonly epoch: number;
  /** The kind of the Program that ran. */
  readonly kind: StepKind;
  /** In an order that respects every dependency and every queue. */
  readonly events: readonly TraceEvent[];
  readonly modelled: readonly ModelledTime[];
  /** Sample ids of each device's slice of the batch. */
  readonly samples: readonly (readonly number[])[];
  readonly losses: LossRecord;
  /** Contents at the start of the step of every persistent parameter and gradient buffer, capped like captures. */
  readonly initial: readonly { readonly device: DeviceIndex; readonly captured: readonly Captured[] }[];
  /**
   * Tensor parallelism: the tensors of which devices have parts; empty if the plan cuts nothing. Absent: no ranks share
   * layers.
   */
  readonly parts?: readonly TensorPart[];
}

/** The loss of one micro-batch; of a whole step if steps have only one. */
export interface LossRecord {
  /** The optimizer step that the micro-batch belongs to. */
  readonly step: number;
  /** Before it in the run. */
  readonly microBatch: number;
  readonly epoch: number;
  /** One entry per rank that computes a loss (DDP: worldSize; otherwise 1); NaN: the rank has run out of batches. */
  readonly perRank: readonly number[];
  /** The mean over the ranks that have a batch. */
  readonly loss: number;
  /** The GradScaler's record, in the last micro-batch of a step. */
  readonly scaler?: ScalerRecord;
}

/** What scaler.step() and scaler.update() did. */
export interface ScalerRecord {
  /** The scale from the next step on. */
  readonly scale: number;
  /** Whether the optimiser skipped the step, because a gradient had an inf or a NaN. */
  readonly skipped: boolean;
  /** Skipped steps so far in the run, including this one. */
  readonly skippedSteps: number;
}

/** A line of the PyTorch script shown beside the run; events point at it by `anchor`. */
export interface CodeLine {
  readonly text: string;
  readonly anchor: string;
}
