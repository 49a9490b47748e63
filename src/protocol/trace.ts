/**
 * What a run leaves behind: one event per instruction that ran, in one schema for measured and for modelled time.
 * `runtime` makes the measured events, `simulator` gives the same events a second clock; views read nothing else.
 * Plain data: it crosses the worker wall by structured clone.
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
/** measured: what this machine took. modelled: what the chosen hardware would take. Never mixed, always labelled. */
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
/** What a packet carries; the colour on the stage. */
export type Payload = 'data' | 'activation' | 'gradient' | 'parameter';
export const MEMORY_CATEGORIES = [
  'parameter',
  /** Whole parameters that ranks have gathered from their shards, for as long as a unit needs them. */
  'unsharded',
  'gradient',
  'optimizer',
  /** Kept over steps and not trained: BatchNorm's running statistics. */
  'buffer',
  'bucket',
  'activation',
  'data',
  'communication',
] as const;
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number];

/**
 * What a receive does with the element it gets: own = own <apply> received; 'put' overwrites. The bitwise ones take
 * int32.
 */
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
  /** The tensor that each rank brings; absent where each brings another. */
  readonly tensor?: { readonly length: number; readonly dtype: 'f32' | 'i32' };
  /** Of those that reduce; absent: 'sum'. */
  readonly reduceOp?: ReduceOp;
  /** Which half of an all-reduce: sums come together, or are handed out. */
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
  /** Key of the PyTorch line it stands for (see CodeLine.anchor). */
  readonly anchor: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly bytes: number;
  readonly flops: number;
  /** Send and receive: the other device, the slice moved, what is in it, and the id of the matching event there. */
  readonly peer?: DeviceIndex;
  readonly slice?: Slice;
  readonly payload?: Payload;
  readonly apply?: Apply;
  readonly match?: number;
  readonly collective?: CollectiveRef;
  readonly bucket?: number;
  /** Of a pipeline's schedule, the action that it is a part of; of a message, the one that made what is sent. */
  readonly action?: PipelineAction;
  /** Ids of the events it had to wait for (queue order excluded). */
  readonly deps: readonly number[];
  /** Measured, microseconds from the start of the step. */
  readonly startUs: number;
  readonly durUs: number;
  /** Contents of what it wrote, first elements of each buffer (see CAPTURE_LIMIT). */
  readonly captured: readonly Captured[];
}

/** That many elements are captured of each buffer that an event writes, from its first on; of a sample more. */
export const CAPTURE_LIMIT = 1024;

/**
 * Of a batch of images or of token rows the first sample is captured whole if it has no more elements than that, so
 * that all its feature maps, and the queries, keys and values of all its tokens, can be drawn.
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
  /** Bytes it occupies on the device, padding included. */
  readonly bytes: number;
  readonly persistent: boolean;
  /** Of CPU offload: it counts as memory of the host. */
  readonly onHost?: true;
}

export interface DeviceMemory {
  readonly device: DeviceIndex;
  readonly budgetBytes: number;
  /** Bytes allocated at once, lifetimes shared. */
  readonly peakBytes: number;
  readonly byCategory: Readonly<Record<MemoryCategory, number>>;
  /** With CPU offload, what lies in the memory of the host. */
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

/** A tensor of which a device has a piece, or an addend, while other devices have the others. */
export interface TensorPart {
  readonly device: DeviceIndex;
  readonly buffer: string;
  /** Of the whole. */
  readonly shape: readonly number[];
  /** For each dimension, which indices of the whole: the piece has every combination of them. */
  readonly ranges: readonly (readonly { readonly start: number; readonly length: number }[])[];
  /** It is one of several addends of the whole; which one. */
  readonly addend?: number;
}

/** When an event would be on the modelled hardware, in microseconds since the start of the step. */
export interface ModelledTime {
  readonly startUs: number;
  readonly durUs: number;
  /** Of durUs: what the collective took to start, before the message; absent: nothing. */
  readonly startingUs?: number;
}

/** One traced micro-batch: a whole step where a step has one. `modelled` runs parallel to `events`. */
export interface StepTrace {
  /** Before it in the run. */
  readonly microBatch: number;
  /** Of the optimizer, to which it belongs. */
  readonly step: number;
  /** Micro-batches to a step. */
  readonly accumulate: number;
  readonly epoch: number;
  /** What the Program that ran was for. */
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
   * Of tensor parallelism: what the devices have parts of, nothing where the plan cuts nothing. Absent: no ranks share
   * layers.
   */
  readonly parts?: readonly TensorPart[];
}

/** The loss of one micro-batch: of a whole step where a step has one. */
export interface LossRecord {
  /** Of the optimizer, to which the micro-batch belongs. */
  readonly step: number;
  /** Before it in the run. */
  readonly microBatch: number;
  readonly epoch: number;
  /** One entry per rank that computes a loss (DDP: worldSize; else 1); NaN: it has run out of batches. */
  readonly perRank: readonly number[];
  /** Their mean, of those that have a batch. */
  readonly loss: number;
  /** Of the micro-batch that ends a step, where a GradScaler scales the loss. */
  readonly scaler?: ScalerRecord;
}

/** What scaler.step() and scaler.update() did. */
export interface ScalerRecord {
  /** From the next step on. */
  readonly scale: number;
  /** The optimiser did not step, because a gradient had an inf or a NaN. */
  readonly skipped: boolean;
  /** So far in the run, this step included. */
  readonly skippedSteps: number;
}

/** A line of the PyTorch script shown beside the run; events point at it by `anchor`. */
export interface CodeLine {
  readonly text: string;
  readonly anchor: string;
}
