/**
 * What the picture of an operator is: a file of this folder that says for which kernels it stands and draws one
 * instruction of them into the place that a room has. Its numbers are those of the trace, or computed from them by the
 * operator's formula. Types only; pictures.ts has the table.
 */
import type { LayerConfig } from '../../../protocol/config';
import type { SessionInfo } from '../../../protocol/session-info';
import type { TraceEvent } from '../../../protocol/trace';
import type { Rect } from '../../draw/geometry';
import type { BucketPlace } from '../devices';
import type { DrawnOperand } from './drawn';
import type { Sketch } from './sketch';

export interface Operation {
  readonly event: TraceEvent;
  readonly index: number;
  readonly info: SessionInfo;
  /** The place to fill. */
  readonly area: Rect;
  /** What there is room for: all with words and numbers, the main thing with a caption, the main thing alone. */
  readonly detail: 'full' | 'some' | 'least';
  readonly reads: readonly DrawnOperand[];
  readonly writes: readonly DrawnOperand[];
  /** Any tensor of the room's device. */
  operand(buffer: string): DrawnOperand | undefined;
  /** What it held before the step. */
  before(buffer: string): Float32Array | undefined;
  /** Of an instruction that fills, scales or empties a bucket of DDP: what lies where in it. */
  readonly bucket: Pick<BucketPlace, 'parameters'> | undefined;
  /** The layer of the configuration that the instruction belongs to. */
  readonly layer: LayerConfig | undefined;
  /** Of an instruction of backward: the one of forward whose gradient it computes. */
  forward(kernel: string): TraceEvent | undefined;
  /** What the instructions of this moment are for, beside this one, on the same device. */
  readonly together: readonly TraceEvent[];
}

export interface OperatorPicture {
  /** Named like its file. */
  readonly name: string;
  /** Kernels, by their names in the trace. */
  readonly operators: readonly string[];
  /** A line for the documentation: what one sees. */
  readonly shows: string;
  /** Leaves the sketch empty where the line of matrices says more. */
  draw(operation: Operation, sketch: Sketch): void;
}
