/** A row of the table of causes, and what comes of it. */
import type { Evidence } from './evidence';

export interface CauseRow {
  readonly id: string;
  /** Whether losses, parameters and gradients show it, or the configurations must say it. */
  readonly from: 'numbers' | 'settings';
  /** What is different, in a sentence or two. */
  readonly says: string;
  /** In what the reports show it; undefined: they do not. */
  readonly test: (evidence: Evidence) => string | undefined;
}

export interface Cause {
  readonly id: string;
  readonly from: 'numbers' | 'settings';
  readonly says: string;
  readonly evidence: string;
}
