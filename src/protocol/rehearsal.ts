/**
 * A record of a script over process groups: what each rank did and raised. museum/scripts.ts makes the record, the page
 * shows it.
 */
import type { Rank } from './trace';

export interface RehearsalLine {
  readonly rank: Rank;
  /** calls: the call that the rank is about to make. has: a value that it found. raises: the error that ended it. */
  readonly kind: 'calls' | 'has' | 'raises';
  readonly text: string;
}

export interface Rehearsal {
  readonly worldSize: number;
  /** In the order in which it happened. */
  readonly lines: readonly RehearsalLine[];
}
