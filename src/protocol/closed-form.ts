/**
 * The closed form of the bytes that a mode sends in a step. The mode computes it from the model's sizes, independently
 * of the compiler (parallel/run-facts); the bytes that a trace counts are compared with it. Types only.
 */
import type { StepKind } from './step-kind';

export interface ClosedForm {
  /**
   * Bytes sent per step by each device, or their mean if not exact: chunks are rounded to elements, and ranks of a tree
   * have different shares.
   */
  readonly perDevice: readonly number[];
  readonly total: number;
  /** The value is exact for each device, not only as a mean over them. */
  readonly exact: boolean;
  /** e.g. '2(N-1)/N × S, N = 4, S = 484 B'. */
  readonly text: string;
  /**
   * The transfers that it covers. everything: all except the norms for clipping. reductions: buckets of gradients, and
   * averaged parameters.
   */
  readonly speaksOf: 'everything' | 'reductions';
  /** Bytes of each cut layer over all ranks, in the order of the model; absent if no layer is cut. */
  readonly layers?: readonly LayerForm[];
}

/** The bytes of the collectives inside one layer. */
export interface LayerForm {
  /** Module path; '' is the loss. */
  readonly module: string;
  readonly bytes: number;
  /** e.g. 'all-reduce of 2048 B in forward and backward'. */
  readonly text: string;
}

/** The form of the Program of one kind. */
export interface KindForm {
  readonly kind: StepKind;
  readonly form: ClosedForm;
}
