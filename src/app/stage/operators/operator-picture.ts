/**
 * The interface of an operator's picture: each file of this folder names its kernels and draws one of their
 * instructions into a room. All numbers come from the trace, or are computed from it by the operator's formula. Types
 * only; pictures.ts has the table.
 */
import type { LayerConfig } from '../../../protocol/config';
import type { SessionInfo } from '../../../protocol/session-info';
import type { TraceEvent } from '../../../protocol/trace';
import type { Rect } from '../../draw/geometry';
import type { BucketPlace } from '../bucket-places';
import type { DrawnOperand } from './drawn';
import type { Sketch } from './sketch';

export interface Operation {
  readonly event: TraceEvent;
  readonly index: number;
  readonly info: SessionInfo;
  /** The area to fill. */
  readonly area: Rect;
  /** How much fits: everything with words and numbers, the main thing with a caption, or only the main thing. */
  readonly detail: 'full' | 'some' | 'least';
  readonly reads: readonly DrawnOperand[];
  readonly writes: readonly DrawnOperand[];
  /** Any tensor of the room's device. */
  operand(buffer: string): DrawnOperand | undefined;
  /** What the buffer held before the step. */
  before(buffer: string): Float32Array | undefined;
  /** If the instruction fills, scales or empties a DDP bucket: which parameter is where in the bucket. */
  readonly bucket: Pick<BucketPlace, 'parameters'> | undefined;
  /** The configuration's layer to which the instruction belongs. */
  readonly layer: LayerConfig | undefined;
  /** For an instruction of backward: the forward instruction whose gradient it computes. */
  forward(kernel: string): TraceEvent | undefined;
  /** The other instructions of this moment on the same device. */
  readonly together: readonly TraceEvent[];
}

export interface OperatorPicture {
  /** Named like its file. */
  readonly name: string;
  /** The kernels, by their names in the trace. */
  readonly operators: readonly string[];
  /** The picture is also drawn for kernels whose names begin so and that no picture lists. */
  readonly othersBelow?: string;
  /** What the picture shows, as a line for the documentation. */
  readonly shows: string;
  /** Draws the picture; leaves the sketch empty if the line of matrices shows more. */
  draw(operation: Operation, sketch: Sketch): void;
}
