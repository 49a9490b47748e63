/** What algorithms are made of: messages between ranks of a group, in rounds. */
import type { Rank, Slice } from '../protocol/trace';

/** One message, in ranks of the group. */
export interface Hop {
  readonly from: Rank;
  readonly to: Rank;
  readonly source: Slice;
  /** Absent: the same stretch of the buffer of that name there. */
  readonly target?: Slice;
  /** true: joined to what is there by the call's reduceOp; else it is put in its place. */
  readonly joins?: boolean;
  readonly chunk?: number;
  readonly chunks?: number;
  /** How many ranks' values the target then holds. */
  readonly summed?: number;
}

/** All hops of a round may be under way at once: every rank posts its sends before it waits for what it receives. */
export type Round = readonly Hop[];
