/** The state of a run at one step, for the page: weights, losses, and what the model answers. */
import type { LabelledImage } from './session-info';

/** What costs more than the rest of a snapshot, and is made only for who shows it. */
export interface ShownViews {
  /** The decision field. Absent: it is shown. */
  readonly field?: boolean | undefined;
}

/** State at one step, read back at the page's pace. */
export interface Snapshot {
  /** Micro-batches done. */
  readonly microBatch: number;
  /** Optimizer steps that have been taken. */
  readonly step: number;
  /** Whole, in the order of SessionInfo.parameters: what a file of weights has, however devices hold it. */
  readonly parameters: readonly Float32Array[];
  /** max |w_i - w_j| over replicas; 0 where there is one copy. */
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
  /** Images: up to 24 that are taken for another class, the surest mistakes first. */
  readonly misclassified: readonly Misclassified[];
  /**
   * Text: what the model writes on its own, from a fixed prompt (which it begins with) and seed. While training goes
   * on, this and the other views that take long may be some steps old.
   */
  readonly sampledText: string | undefined;
  /** Sequence tasks: up to 8 test rows. */
  readonly answers: readonly AnsweredSequence[];
}

export const FIELD_SIZE = 48;

/** What a classifier says about test rows (training rows where there are none). */
export interface Confusion {
  /** [classes, classes], row-major: row = target, column = prediction. */
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly rows: number;
  readonly of: 'train' | 'test';
}

export interface Misclassified extends LabelledImage {
  readonly predicted: number;
  /** Of the prediction. */
  readonly probability: number;
}

/** A row of a token task as the model answers it: only the positions that the target asks for. */
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
