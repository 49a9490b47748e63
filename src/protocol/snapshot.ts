/** The state of a run at one step, for the page: weights, losses, and the model's outputs. */
import type { LabelledImage } from './session-info';

/** Expensive parts of a snapshot, which are computed only if the page shows them. */
export interface ShownViews {
  /** Whether the decision field is shown. Absent: yes. */
  readonly field?: boolean | undefined;
}

/** State at one step, read back at the page's pace. */
export interface Snapshot {
  /** Micro-batches done. */
  readonly microBatch: number;
  /** Optimizer steps that have been taken. */
  readonly step: number;
  /** Whole parameters in the order of SessionInfo.parameters, as in a weights file, however devices hold them. */
  readonly parameters: readonly Float32Array[];
  /** max |w_i - w_j| over replicas; 0 with one copy. */
  readonly replicaDivergence: number;
  /** max |w - w_single| against the single-device reference; undefined when it does not run. */
  readonly differenceFromSingle: number | undefined;
  readonly trainLoss: number;
  readonly testLoss: number | undefined;
  /** Classification: fraction right. */
  readonly trainAccuracy: number | undefined;
  readonly testAccuracy: number | undefined;
  /**
   * 2-D inputs: model output on a FIELD_SIZE x FIELD_SIZE grid over [-1, 1]^2, row 0 at the top (y = 1). In
   * classification the probability of class 1.
   */
  readonly field: Float32Array | undefined;
  /** Regression: up to 200 pairs target, prediction. */
  readonly predictions: readonly (readonly [target: number, predicted: number])[];
  /** Class indices per row (not per token) only. */
  readonly confusion: Confusion | undefined;
  /** Images: up to 24 misclassified ones, the most confident mistakes first. */
  readonly misclassified: readonly Misclassified[];
  /**
   * Text: a continuation of a fixed prompt (included) with a fixed seed. While training plays, this and other slow
   * views may be some steps old.
   */
  readonly sampledText: string | undefined;
  /** Sequence tasks: up to 8 test rows. */
  readonly answers: readonly AnsweredSequence[];
}

export const FIELD_SIZE = 48;

/** A classifier's predictions for test rows, or training rows if there are no test rows. */
export interface Confusion {
  /** [classes, classes], row-major: row = target, column = prediction. */
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly rows: number;
  readonly of: 'train' | 'test';
}

export interface Misclassified extends LabelledImage {
  readonly predicted: number;
  /** Probability of the prediction. */
  readonly probability: number;
}

/** The model's answer to a row of a token task: only positions that the target does not ignore. */
export interface AnsweredSequence {
  readonly prompt: string;
  readonly expected: string;
  readonly predicted: string;
  readonly right: boolean;
}

/** max |Δw| before that step. */
export interface DifferenceAt {
  readonly step: number;
  /** NaN where a weight is NaN. */
  readonly value: number;
}
