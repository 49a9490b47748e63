/** Flight recorder dumps, as `read-flight.ts` reads them and `analyse-flight.ts` compares them. */
import type { CollectiveKind, RecordingRank } from '../recording';

/** Flight recorder dumps of several ranks. Field names follow torch's dump in camelCase. */
export interface FlightRecording {
  readonly ranks: readonly FlightRank[];
}

export interface FlightRank {
  readonly rank: RecordingRank;
  readonly file: string;
  /** Version of the dump's format: "2.10". */
  readonly version: string;
  /** Process groups that the dump names with their ranks; a gloo dump names none. */
  readonly groups: readonly {
    readonly group: string;
    readonly description: string;
    readonly ranks: readonly RecordingRank[];
  }[];
  /** In order of `recordId`. */
  readonly entries: readonly FlightEntry[];
}

export interface FlightEntry {
  readonly recordId: number;
  readonly group: string;
  readonly groupDescription: string;
  /** Sequence numbers of a group's collectives, and of its sends and receives; `isP2p` decides which one is valid. */
  readonly collectiveSeqId: number;
  readonly p2pSeqId: number;
  readonly isP2p: boolean;
  /** "nccl:all_reduce". */
  readonly profilingName: string;
  /** "all_reduce". */
  readonly kind: CollectiveKind;
  readonly inputSizes: readonly (readonly number[])[];
  readonly outputSizes: readonly (readonly number[])[];
  readonly inputDtypes: readonly string[];
  readonly outputDtypes: readonly string[];
  readonly state: 'scheduled' | 'started' | 'completed';
  readonly retired: boolean;
  /** Microseconds from the recording's first entry, because nanoseconds since 1970 do not fit into a double. */
  readonly createdUs: number;
  readonly startedUs: number | undefined;
  readonly completedUs: number | undefined;
  readonly timeoutMs: number;
  /** Innermost frame first, "train.py:42 in step". */
  readonly frames: readonly string[];
}
