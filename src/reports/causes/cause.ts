/** A row of the table of causes, and a found cause. */
import type { Evidence } from './evidence';

export interface CauseRow {
  readonly id: string;
  /** Whether losses, parameters and gradients show the cause, or only the configurations do. */
  readonly from: 'numbers' | 'settings';
  /** The difference, in a sentence or two. */
  readonly says: string;
  /** The evidence in the reports; undefined if there is none. */
  readonly test: (evidence: Evidence) => string | undefined;
}

export interface Cause {
  readonly id: string;
  readonly from: 'numbers' | 'settings';
  readonly says: string;
  readonly evidence: string;
}
