/** What ranks did and said when a script over process groups was run. Session/museum makes it, the page shows it. */
import type { Rank } from './trace';

export interface RehearsalLine {
  readonly rank: Rank;
  /** calls: what it is about to do. has: what it found. raises: the error that ended it. */
  readonly kind: 'calls' | 'has' | 'raises';
  readonly text: string;
}

export interface Rehearsal {
  readonly worldSize: number;
  /** In the order in which it happened. */
  readonly lines: readonly RehearsalLine[];
}
