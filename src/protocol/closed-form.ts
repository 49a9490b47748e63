/**
 * The closed form of what a mode sends in a step: made by the mode from the real sizes of the model, beside the
 * compiler (parallel/describe), and the yardstick of the bytes that a trace counts. Types only.
 */
import type { StepKind } from './step-kind';

export interface ClosedForm {
  /**
   * Bytes sent per step by each device; or, where not exact, their mean: chunks are rounded to elements, and ranks of a
   * tree have unlike shares.
   */
  readonly perDevice: readonly number[];
  readonly total: number;
  /** The value is exact for each device, not only as a mean over them. */
  readonly exact: boolean;
  /** e.g. '2(N-1)/N × S, N = 4, S = 484 B'. */
  readonly text: string;
  /**
   * Which transfers it speaks of. everything: all but what clipping exchanges. reductions: buckets of gradients, and
   * parameters that are averaged.
   */
  readonly speaksOf: 'everything' | 'reductions';
  /** Of layers that are cut, in the order of the model, over all ranks; absent where no layer is. */
  readonly layers?: readonly LayerForm[];
}

/** What the collectives inside one layer send. */
export interface LayerForm {
  /** Module path; '' is the loss. */
  readonly module: string;
  readonly bytes: number;
  /** e.g. 'all-reduce of 2048 B in forward and backward'. */
  readonly text: string;
}

/** Of the Program of that kind. */
export interface KindForm {
  readonly kind: StepKind;
  readonly form: ClosedForm;
}
