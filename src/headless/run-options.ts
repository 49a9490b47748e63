/** What a headless run is asked for, and what it gives back. */
import type { Notice } from '../protocol/notice';
import type { FlightRecorderDump } from '../protocol/process-group';
import type { RecordOptions, Report } from '../protocol/report';
import type { CheckpointFiles, Files } from '../protocol/session';
import type { SessionInfo } from '../protocol/session-info';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { PlannedFault } from '../training/failures/fault-plan';

export interface RunOptions {
  /** What goes into the report beside the usual. */
  readonly records?: RecordOptions | undefined;
  readonly gpu?: GPU | undefined;
  /**
   * After every micro-batch; `total`: steps, an unfinished one at the end included; `accumulate`: micro-batches to a
   * step.
   */
  readonly onLoss?: (record: LossRecord, total: number, accumulate: number) => void;
  /** What a large model's run does before its first step, which takes seconds. */
  readonly onPhase?: (text: string) => void;
  readonly trace?: boolean;
  /** Loss over all rows in evaluation mode, into the report. */
  readonly evaluate?: boolean;
  /** Faults injected on the way. */
  readonly faults?: readonly PlannedFault[];
  /** What happens on the way: a restart. It is in the report, too. */
  readonly onNotice?: (notice: Notice) => void;
  readonly signal?: AbortSignal;
  /** Checkpoints for files: every so many steps, and at the end, also of a run that is stopped. */
  readonly checkpoint?: {
    readonly every: number | undefined;
    /** `shards`: the same as an index and a file for each rank, by name. */
    readonly save: (files: CheckpointFiles, shards: () => Files) => Promise<void>;
  };
}

export interface RunResult {
  readonly report: Report;
  readonly traces: readonly StepTrace[];
  /** What the run looked like before it began: code lines, buffers, hardware. */
  readonly info: SessionInfo;
  /** Final weights as .safetensors. */
  readonly weights: () => Uint8Array<ArrayBuffer>;
  /** The rows as .safetensors, for the script of the code panel. */
  readonly dataset: () => Uint8Array<ArrayBuffer>;
  /** PyTorch's flight recorder, one dump per rank; throws where the run has no process group. */
  readonly flightRecorder: () => readonly FlightRecorderDump[];
}
