/**
 * The instruction set. A Program is, for every device, one ordered list of instructions on two queues over named
 * buffers. Plain data: it can be printed, posted to a worker, stored, compared. Compilers in `parallel` make Programs;
 * runtimes, the verifier, the simulator and the views read them.
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
  /** Key of the PyTorch line that the instruction stands for. */
  readonly anchor: string;
  /** Bytes read and written (compute) or moved (transfers). */
  readonly bytes: number;
  readonly flops: number;
  /** Event set when the instruction has completed, for the other queue of the same device to wait on. */
  readonly signals?: string;
  readonly bucket?: number;
  /** The micro-batch of the Program that it belongs to; absent: the first. */
  readonly microBatch?: number;
  /** The action of a pipeline's schedule that it belongs to; for a message, the action that made the sent tensor. */
  readonly action?: PipelineAction;
}

/** Runs an operator of the op table over whole buffers. An output may be one of the inputs (in place). */
export interface Compute extends Base {
  readonly kind: 'compute';
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attrs: Attrs;
  /** It computes in half precision: modelled machines use their rate for halves. */
  readonly inHalf?: true;
  /** CPU offload, on modelled machines: a copy between host and device, or work of the host. */
  readonly onHost?: 'copied' | 'computed';
}

/** Sends a slice to a peer. Matches the peer's recv by `tag`; does not wait for the peer. */
export interface Send extends Base {
  readonly kind: 'send';
  readonly peer: DeviceIndex;
  readonly slice: Slice;
  /** Unique per Program; equal on both sides. */
  readonly tag: string;
  readonly payload: Payload;
  readonly collective?: CollectiveRef;
}

/** Receives a slice from a peer and stores it, or combines it elementwise: own + received, in that order. */
export interface Recv extends Base {
  readonly kind: 'recv';
  readonly peer: DeviceIndex;
  readonly slice: Slice;
  readonly apply: Apply;
  readonly tag: string;
  readonly payload: Payload;
  readonly collective?: CollectiveRef;
}

/** Copies this step's rows from the host: rows [start, start + count) of the batch of a data index. */
export interface Load extends Base {
  readonly kind: 'load';
  readonly buffer: string;
  /**
   * mask: the factors of dropout, drawn on the host in the order of these instructions. noise: random tensors that the
   * mode draws for the step (ModeSteps.noise).
   */
  readonly source: 'inputs' | 'targets' | 'scalars' | 'mask' | 'noise';
  /** mask, noise: the host's name for it; absent: the buffer's name. */
  readonly draw?: string;
  /** mask: probability of a zero. */
  readonly p?: number;
  /** mask: the format to which its values are rounded; absent: float32. */
  readonly half?: HalfFormat;
  /** mask: the device's piece of the mask of a whole activation; absent: the mask is of all of it. */
  readonly region?: TensorRegion;
  /** The batch (DeviceMesh.dataIndex): ranks that share a batch have the same index. */
  readonly dataIndex: number;
  readonly start: number;
  readonly count: number;
}

/** Blocks this queue until the event of the same device is set. */
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
  /** persistent: keeps its contents between steps, for all Programs of a set. Other buffers live within a step. */
  readonly persistent: boolean;
  /**
   * Buffers of one pool ('parameters', 'gradients' ...) of a device are in one allocation, so that one dispatch can
   * cover them all.
   */
  readonly pool?: string;
  /** Contents before the first step: every element this value (default 0). */
  readonly fill?: number;
  /**
   * The tensor is in half precision, whether the buffer holds float32 numbers or halves: on modelled machines, which
   * have native halves, operators read and write two bytes per element.
   */
  readonly asHalf?: HalfFormat;
  /** CPU offload: on modelled machines the buffer is in the host's memory. Here it is with the others. */
  readonly onHost?: true;
  /** The buffer's words hold a tensor in half precision, two elements per word; readers see the tensor's elements. */
  readonly halves?: HalfTensor;
  /** The whole tensor of which the buffer is a piece or an addend; absent: none. */
  readonly region?: TensorRegion;
  /**
   * The name that this buffer replaces in a later micro-batch of the Program ('3.out@1' for '3.out'), or in a later
   * life of it ('0.unsharded.weight~1').
   */
  readonly insteadOf?: string;
}

/** The place of a micro-batch's loss after the step. */
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
  /** The losses that this lane computes, in the order of micro-batches. */
  readonly losses: readonly LaneLoss[];
}

export interface Program {
  /** The purpose of the Program. Programs of a set share persistent buffers by device and name. */
  readonly kind: StepKind;
  readonly mode: string;
  readonly lanes: readonly Lane[];
}
