/** Hops and rounds, from which algorithms are built: messages between ranks of a group. */
import type { Rank, Slice } from '../protocol/trace';

/** One message, in ranks of the group. */
export interface Hop {
  readonly from: Rank;
  readonly to: Rank;
  readonly source: Slice;
  /** Absent: the same stretch of the buffer with the same name. */
  readonly target?: Slice;
  /** true: combined with the target's contents by the call's reduceOp; otherwise it replaces them. */
  readonly joins?: boolean;
  readonly chunk?: number;
  readonly chunks?: number;
  /** The number of ranks whose values the target then holds. */
  readonly summed?: number;
}

/** All hops of a round may be in flight at once: every rank posts its sends before it waits for its receives. */
export type Round = readonly Hop[];
