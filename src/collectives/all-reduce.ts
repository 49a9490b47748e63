/**
 * The seam of the all-reduce algorithms: each emits sends and receives into the lanes of a Program and knows its own cost. After it, every
 * rank holds the same bytes: each element is summed once, on one rank, and then copied. Called by parallel/ddp.
 */
import type { ProgramBuilder, Where } from '../program/builder';
import type { DeviceIndex, Payload } from '../protocol/trace';

export interface AllReduceCall {
  readonly builder: ProgramBuilder;
  /** Devices of the group in rank order. */
  readonly group: readonly DeviceIndex[];
  /** Buffer to sum in place, the same name on every device. */
  readonly buffer: string;
  readonly length: number;
  readonly payload: Payload;
  /** Position in the group's sequence of collectives. */
  readonly seq: number;
  readonly bucket?: number;
  readonly where: Where;
}

export interface AllReduce {
  readonly name: 'ring' | 'naive';
  emit(call: AllReduceCall): void;
  /** Bytes that each rank of a group of `worldSize` sends for a buffer of `bytes`; exact, in rank order. */
  bytesSent(bytes: number, worldSize: number): readonly number[];
}
