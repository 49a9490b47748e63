/**
 * The instruction set. A Program is, for every device, one ordered list of instructions on two queues over named
 * buffers. It is plain data: printed, posted to a worker, stored, compared. Compilers in `parallel` make it; runtimes,
 * the verifier, the simulator and the views read it. Nothing here runs anything.
 */
import type { Attrs } from '../graph/op';
import type { PipelineAction } from '../protocol/pipeline';
import type { StepKind } from '../protocol/step-kind';
import type {
  Apply,
  CollectiveRef,
  DeviceIndex,
  MemoryCategory,
  Payload,
  Phase,
  Queue,
  Rank,
  Slice,
} from '../protocol/trace';
import type { TensorRegion } from '../sharding/piece';
import type { HalfFormat } from '../tensor/half-bits';
import type { DType, Shape } from '../tensor/shape';

export type InstructionId = number;

interface Base {
  /** Unique over the whole Program; ascending in emission order. */
  readonly id: InstructionId;
  readonly queue: Queue;
  readonly phase: Phase;
  readonly module: string;
  /** Key of the PyTorch line it stands for. */
  readonly anchor: string;
  /** Bytes read and written (compute) or moved (transfers). */
  readonly bytes: number;
  readonly flops: number;
  /** Event set when the instruction has completed, for the other queue of the same device to wait on. */
  readonly signals?: string;
  readonly bucket?: number;
  /** Of the micro-batches of the Program, the one that it belongs to; absent: the first. */
  readonly microBatch?: number;
  /** Of a pipeline's schedule, the action that it is a part of; of a message, the one that made what is sent. */
  readonly action?: PipelineAction;
}

/** Run an operator of the op table over whole buffers. An output may be one of the inputs (in place). */
export interface Compute extends Base {
  readonly kind: 'compute';
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attrs: Attrs;
  /** It computes in half precision: on modelled machines at their rate for that. */
  readonly inHalf?: true;
  /** Of CPU offload, on modelled machines: a copy between host and device, or the work of the host. */
  readonly onHost?: 'copied' | 'computed';
}

/** Hand a slice to a peer. Matches the peer's recv by `tag`; does not wait for the peer to take it. */
export interface Send extends Base {
  readonly kind: 'send';
  readonly peer: DeviceIndex;
  readonly slice: Slice;
  /** Unique per Program; equal on both sides. */
  readonly tag: string;
  readonly payload: Payload;
  readonly collective?: CollectiveRef;
}

/** Take a slice from a peer and put it in place, or join it elementwise: own + received, in that order. */
export interface Recv extends Base {
  readonly kind: 'recv';
  readonly peer: DeviceIndex;
  readonly slice: Slice;
  readonly apply: Apply;
  readonly tag: string;
  readonly payload: Payload;
  readonly collective?: CollectiveRef;
}

/** Copy this step's rows from the host: rows [start, start + count) of the batch of a data index. */
export interface Load extends Base {
  readonly kind: 'load';
  readonly buffer: string;
  /**
   * mask: what dropout multiplies by, drawn on the host in the order of these instructions. noise: what the mode
   * draws for the step (ParallelMode.noiseForStep).
   */
  readonly source: 'inputs' | 'targets' | 'scalars' | 'mask' | 'noise';
  /** mask, noise: what the host calls it; absent: as the buffer. */
  readonly draw?: string;
  /** mask: probability of a zero. */
  readonly p?: number;
  /**
   * mask: the devices of one data index that name a region share one draw of the whole, and each takes its piece;
   * absent: the device draws a mask of its own.
   */
  readonly region?: TensorRegion;
  /** Which batch (DeviceMesh.dataIndex): ranks that share one name the same. */
  readonly dataIndex: number;
  readonly start: number;
  readonly count: number;
}

/** Block this queue until the event of the same device is set. */
export interface Wait extends Base {
  readonly kind: 'wait';
  readonly event: string;
}

export type Instruction = Compute | Send | Recv | Load | Wait;

export interface HalfTensor {
  readonly format: HalfFormat;
  readonly shape: Shape;
}

export interface BufferSpec {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly category: MemoryCategory;
  /** persistent: keeps its contents from step to step and over all Programs of a set. Others live within a step. */
  readonly persistent: boolean;
  /**
   * Buffers of one pool of a device lie in one allocation ('parameters', 'gradients' ...), so one dispatch can cover
   * them all.
   */
  readonly pool?: string;
  /** Contents before the first step: every element this value (default 0). */
  readonly fill?: number;
  /**
   * float32 values of a tensor that is in half precision: on modelled machines, which have the type, an element takes
   * two bytes.
   */
  readonly asHalf?: true;
  /** Of CPU offload: on modelled machines it lies in the memory of the host. Here it lies with the others. */
  readonly onHost?: true;
  /** Words that hold a tensor in half precision, two elements each: what readers of its values see. */
  readonly halves?: HalfTensor;
  /** Of which whole tensor it is a piece or an addend; absent: of none. */
  readonly region?: TensorRegion;
  /**
   * What a later micro-batch of the Program has in place of the buffer of that name ('3.out@1' of '3.out'), or a later
   * life of it ('0.unsharded.weight~1').
   */
  readonly insteadOf?: string;
}

/** Where the loss of a micro-batch is after the step. */
export interface LaneLoss {
  readonly microBatch: number;
  readonly buffer: string;
}

/** The instruction list of one device. */
export interface Lane {
  readonly device: DeviceIndex;
  /** The process that drives the device. */
  readonly rank: Rank;
  readonly buffers: readonly BufferSpec[];
  readonly instructions: readonly Instruction[];
  /** Of the micro-batches whose loss this lane computes, in their order. */
  readonly losses: readonly LaneLoss[];
}

export interface Program {
  /** What it is for. Programs of a set share persistent buffers by device and name. */
  readonly kind: StepKind;
  readonly mode: string;
  readonly lanes: readonly Lane[];
}
