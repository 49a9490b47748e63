/**
 * A recording: what a run elsewhere did over time, on all its ranks. Plain data that is sent between workers by
 * structured clone. The readers in `traces/` make it, `analysis/` and the page read it. Times are microseconds from the
 * recording's first event, on the clock of the rank's own file until `aligned()` has moved them.
 */
import type { SpanColumns } from './spans';

/** Index of a process, as in torch.distributed. */
export type RecordingRank = number;

/**
 * compute: a GPU stream, or a CPU thread of a run without GPU. communication: where collectives run. host: a CPU thread
 * that feeds a GPU. other: brackets of the profiler itself and lanes without work.
 */
export type LaneRole = 'compute' | 'communication' | 'host' | 'other';

export interface RecordedLane {
  /** Unique in the rank: "24711:24792". */
  readonly id: string;
  /** "thread 24711 (python)", "stream 20", "gloo thread 24792". */
  readonly label: string;
  readonly role: LaneRole;
  readonly spans: SpanColumns;
  /** The rows needed to draw the lane nested: 1 + the largest depth; 0 if empty. */
  readonly rows: number;
}

/** A step of one rank: ProfilerStep#N, or the rank's whole recording if no step is marked. */
export interface RecordedStep {
  readonly step: number;
  readonly startUs: number;
  readonly endUs: number;
  /** False if no step was marked, and the rank's whole recording counts as one step. */
  readonly marked: boolean;
}

export interface RecordedRank {
  readonly rank: RecordingRank;
  /** How the rank was found. */
  readonly rankFrom: 'distributedInfo' | 'process name' | 'file name' | 'order of files' | 'events';
  readonly file: string;
  readonly host: string;
  readonly strings: readonly string[];
  /** The lanes in the order compute, communication, host, other. */
  readonly lanes: readonly RecordedLane[];
  readonly steps: readonly RecordedStep[];
  readonly startUs: number;
  readonly endUs: number;
  /** The file's arrows between lanes of this rank (from launch to kernel, forward to backward); at most FLOW_LIMIT. */
  readonly flows: readonly RecordedFlow[];
}

export const FLOW_LIMIT = 20_000;

/** The index of the lane and the time, at both ends. */
export interface RecordedFlow {
  readonly fromLane: number;
  readonly fromUs: number;
  readonly toLane: number;
  readonly toUs: number;
  readonly name: string;
}

/** A rank's part in a collective: its span on the communication lane. */
export interface CollectivePart {
  readonly rank: RecordingRank;
  /** When the rank joined: its kernel or its gloo thread began, so it waits from here for the last to arrive. */
  readonly startUs: number;
  readonly endUs: number;
  /** Index of lane and span in the rank. */
  readonly lane: number;
  readonly span: number;
}

/** torch.distributed's names with underscores, "all_reduce"; other names as in the file. */
export type CollectiveKind = string;

/** The same collective on all ranks that recorded it, matched by process group and sequence number. */
export interface RecordedCollective {
  /** Position in `Recording.collectives`. */
  readonly id: number;
  readonly kind: CollectiveKind;
  /** PyTorch's name of the process group, "0"; '' if the file has none. */
  readonly group: string;
  /** "default_pg"; '' if the file has no description. */
  readonly groupDescription: string;
  /** The group's ranks if known, else the ranks that recorded the collective. */
  readonly groupRanks: readonly RecordingRank[];
  /** The file's sequence number, or the position within the group, counted from 0. */
  readonly sequence: number;
  readonly sequenceFrom: 'file' | 'order';
  /** PyTorch's name in lower case, "float"; '' if the file has none. */
  readonly dtype: string;
  /** Elements of the larger of input and output; bytes as nccl-tests counts them; 0 if the file has no sizes. */
  readonly elements: number;
  readonly bytes: number;
  /** The number of the ProfilerStep#N in which the collective began on the lowest rank; undefined outside all steps. */
  readonly step: number | undefined;
  /** The parts in order of rank; only one if a single rank recorded the collective. */
  readonly parts: readonly CollectivePart[];
}

/** How a rank's clock was aligned with the first rank's clock. */
export interface ClockOffset {
  readonly rank: RecordingRank;
  /** Found from the ends of matched collectives: this rank's clock minus that of the first rank. */
  readonly offsetUs: number;
  /** The median difference that remains between the ends after this offset; smaller offsets mean nothing. */
  readonly residualUs: number;
  /**
   * The value subtracted from the rank's times: the offset, or 0 if the clocks agree within the measurable precision.
   */
  readonly appliedUs: number;
  /** The number of collectives behind this offset. */
  readonly collectives: number;
}

/** The spans of all ranks. */
export interface Recording {
  /** The title on the page: "torch.profiler, 4 ranks, gloo". */
  readonly title: string;
  /** measured: a real run. modelled: the file says that its times come from a model (Lockstep writes such files). */
  readonly clock: 'measured' | 'modelled';
  readonly worldSize: number;
  /** In order of rank; fewer than worldSize if files are missing, which a notice reports. */
  readonly ranks: readonly RecordedRank[];
  /** The collectives in the order of their first start. */
  readonly collectives: readonly RecordedCollective[];
  /** Step numbers that any rank has, in order. */
  readonly steps: readonly number[];
  /** One entry per rank, in the order of `ranks`. */
  readonly clocks: readonly ClockOffset[];
  readonly durUs: number;
  /** The number of spans over all ranks. */
  readonly spanCount: number;
}
