/**
 * A recording: what a run that happened elsewhere did over time, on all its ranks. Plain data that crosses the worker
 * wall by structured clone. The readers in `traces/` make it, `analysis/` and the page read it. Times are microseconds
 * from the recording's first event, on the clock of the rank's own file until `aligned()` has moved them.
 */
import type { SpanColumns } from './spans';

/** Index of a process, as torch.distributed counts. */
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
  /** Rows it needs when drawn nested: 1 + the largest depth; 0 when empty. */
  readonly rows: number;
}

/** A step of one rank: ProfilerStep#N, or the whole recording of a rank where no step is marked. */
export interface RecordedStep {
  readonly step: number;
  readonly startUs: number;
  readonly endUs: number;
  /** False: no step was marked, the rank's whole recording stands for one. */
  readonly marked: boolean;
}

export interface RecordedRank {
  readonly rank: RecordingRank;
  /** How the rank was found. */
  readonly rankFrom: 'distributedInfo' | 'process name' | 'file name' | 'order of files' | 'events';
  readonly file: string;
  readonly host: string;
  readonly strings: readonly string[];
  /** Compute first, then communication, host, other. */
  readonly lanes: readonly RecordedLane[];
  readonly steps: readonly RecordedStep[];
  readonly startUs: number;
  readonly endUs: number;
  /** The file's arrows between lanes of this rank (from launch to kernel, forward to backward); at most FLOW_LIMIT. */
  readonly flows: readonly RecordedFlow[];
}

export const FLOW_LIMIT = 20_000;

/** Index of lane and time at both ends. */
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

/** In torch.distributed's words with underscores, "all_reduce"; other names as the file has them. */
export type CollectiveKind = string;

/** The same collective on all ranks that recorded it, matched by process group and sequence number. */
export interface RecordedCollective {
  /** Position in `Recording.collectives`. */
  readonly id: number;
  readonly kind: CollectiveKind;
  /** PyTorch's name of the process group, "0"; '' where the file does not say. */
  readonly group: string;
  /** "default_pg"; '' where the file does not say. */
  readonly groupDescription: string;
  /** Ranks of the group where known, else those that recorded it. */
  readonly groupRanks: readonly RecordingRank[];
  /** The file's own number, or the position in the group, from 0, counted here. */
  readonly sequence: number;
  readonly sequenceFrom: 'file' | 'order';
  /** PyTorch's word in small letters, "float"; '' where the file does not say. */
  readonly dtype: string;
  /** Elements of the larger one of input and output; bytes as nccl-tests counts them; 0 where the file does not say. */
  readonly elements: number;
  readonly bytes: number;
  /** Of ProfilerStep#N, in which it began on the lowest rank; undefined outside of all. */
  readonly step: number | undefined;
  /** In order of rank. One where only one rank was recorded, or only one has it. */
  readonly parts: readonly CollectivePart[];
}

/** How a rank's clock was brought to that of the first rank. */
export interface ClockOffset {
  readonly rank: RecordingRank;
  /** Found from the ends of matched collectives: this rank's clock minus that of the first rank. */
  readonly offsetUs: number;
  /** Median of what is left between the ends after that offset: offsets below it mean nothing. */
  readonly residualUs: number;
  /** What was subtracted from the rank's times: the offset, or 0 where the clocks agree within what can be seen. */
  readonly appliedUs: number;
  /** How many collectives say so. */
  readonly collectives: number;
}

/** Spans of all ranks. */
export interface Recording {
  /** First what is on the page: "torch.profiler, 4 ranks, gloo". */
  readonly title: string;
  /** measured: a run that happened. modelled: the file says that its times come from a model (Lockstep writes such). */
  readonly clock: 'measured' | 'modelled';
  readonly worldSize: number;
  /** In order of rank; fewer than worldSize where files are missing (then a notice says so). */
  readonly ranks: readonly RecordedRank[];
  /** In order of the first start. */
  readonly collectives: readonly RecordedCollective[];
  /** Step numbers that any rank has, in order. */
  readonly steps: readonly number[];
  /** One entry per rank, in the order of `ranks`. */
  readonly clocks: readonly ClockOffset[];
  readonly durUs: number;
  /** Sums to the readers of the columns: how many spans, over all ranks. */
  readonly spanCount: number;
}
