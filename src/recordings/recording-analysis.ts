/**
 * The analysis of a recording: types only. `analyse()` computes it, the page and `lockstep import` show it. All times
 * are microseconds, all bandwidths GB/s (10^9 bytes), as nccl-tests prints them.
 */
import type { CollectiveKind, RecordingRank } from './recording';

export interface RecordingAnalysis {
  /** In order of step, then rank; only marked steps if there are any. */
  readonly steps: readonly StepOfRank[];
  /** Per rank over its steps: the mean of each figure. */
  readonly ranks: readonly StepOfRank[];
  /** Same order as `Recording.collectives`. */
  readonly collectives: readonly CollectiveFigures[];
  /** One row per kind, group and size. */
  readonly kinds: readonly CollectiveSummary[];
  /** The stragglers, most frequent first; empty if no collective has two ranks. */
  readonly stragglers: readonly RecordedStraggler[];
  readonly waits: WaitMatrix;
  /** Findings in plain sentences, the most important first: stragglers, overlap, idle time. */
  readonly sentences: readonly string[];
}

/**
 * A rank's time in a step, divided so that nothing counts twice: durUs = computeUs + exposedUs + idleUs, where
 * communicationUs = overlapUs + exposedUs.
 */
export interface StepOfRank {
  /** undefined in `RecordingAnalysis.ranks`: the mean over steps. */
  readonly step: number | undefined;
  readonly rank: RecordingRank;
  readonly startUs: number;
  readonly durUs: number;
  /** Operators or kernels, lanes united: two streams that compute at once count once. */
  readonly computeUs: number;
  readonly communicationUs: number;
  /** Communication while something computes: hidden. */
  readonly overlapUs: number;
  /** Communication while nothing computes, and its two parts: until the last rank arrived, and after. */
  readonly exposedUs: number;
  readonly waitingUs: number;
  readonly transferUs: number;
  /** Idle time, and its causes in order of size; causes without time are left out. */
  readonly idleUs: number;
  readonly idle: readonly IdleShare[];
  /** Bytes of this rank's collectives that began in the step, counted as in nccl-tests. */
  readonly bytes: number;
}

/**
 * loader: in a span that fetches the batch. launch: a CPU thread hands over work, or is in an operator, while its GPU
 * has none. annotation: inside a named bracket (`name` says which) but in no operator. python: in none of them.
 */
export type IdleCause = 'loader' | 'launch' | 'annotation' | 'python';

export interface IdleShare {
  readonly cause: IdleCause;
  /** Name of the span: "slow_loader", "Optimizer.step#SGD.step"; '' for python. */
  readonly name: string;
  readonly us: number;
}

export interface CollectiveFigures {
  readonly id: number;
  /** The last rank to start, and its delay after the second to last; undefined with fewer than two ranks. */
  readonly last: { readonly rank: RecordingRank; readonly byUs: number } | undefined;
  /** From the start of the last rank to the last end: the time of the transfer itself. */
  readonly transferUs: number;
  /** How long each rank waited for the last to arrive; same order as the collective's parts. */
  readonly waitedUs: readonly number[];
  /** Size divided by transferUs, and this times nccl-tests' factor; undefined if size or group is unknown. */
  readonly algorithmBandwidth: number | undefined;
  readonly busBandwidth: number | undefined;
}

export interface CollectiveSummary {
  readonly kind: CollectiveKind;
  readonly group: string;
  readonly ranks: number;
  readonly dtype: string;
  readonly bytes: number;
  readonly count: number;
  /** Medians. */
  readonly transferUs: number;
  readonly waitedUs: number;
  readonly algorithmBandwidth: number | undefined;
  readonly busBandwidth: number | undefined;
}

export interface RecordedStraggler {
  readonly rank: RecordingRank;
  /** Last at so many collectives of `of`. */
  readonly last: number;
  readonly of: number;
  /** Steps at whose first collective it was last, of so many. */
  readonly lateSteps: number;
  readonly steps: number;
  /** Median over the first collective of each step at which it was last: how long after the one before it it came. */
  readonly byUs: number;
  /** The waiting that this rank caused, summed over the other ranks. */
  readonly causedUs: number;
  /**
   * The work that took this rank longer than others before the first collective of a step; undefined: none stands out.
   */
  readonly cause: { readonly name: string; readonly us: number; readonly othersUs: number } | undefined;
}

/** us[i][j]: how long the i-th rank waited for the j-th, summed over all collectives at which j was last. */
export interface WaitMatrix {
  readonly ranks: readonly RecordingRank[];
  readonly us: readonly (readonly number[])[];
}

/** The analysis of flight recorder dumps. */
export interface FlightAnalysis {
  readonly groups: readonly FlightGroup[];
  /** The verdict, most important first. */
  readonly sentences: readonly string[];
}

export interface FlightGroup {
  readonly group: string;
  readonly description: string;
  readonly ranks: readonly RecordingRank[];
  /** Of each rank, in the order of `ranks`: the last it scheduled, started, completed; undefined: none. */
  readonly last: readonly {
    readonly rank: RecordingRank;
    readonly scheduled: number | undefined;
    readonly started: number | undefined;
    readonly completed: number | undefined;
  }[];
  /** First sequence number at which ranks differ in operation, size or type, or that some lack. */
  readonly mismatches: readonly FlightMismatch[];
}

export interface FlightMismatch {
  readonly sequence: number;
  readonly isP2p: boolean;
  readonly what: 'operation' | 'size' | 'dtype' | 'missing' | 'state';
  /** In words: "rank 1 calls all_reduce of [10], rank 0 broadcast of [10]". */
  readonly text: string;
  readonly ranks: readonly RecordingRank[];
}
