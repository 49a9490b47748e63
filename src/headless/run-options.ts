/** The options and the result of a headless run. */
import type { Notice } from '../protocol/notice';
import type { FlightRecorderDump } from '../protocol/process-group';
import type { RecordOptions, Report } from '../protocol/report';
import type { CheckpointFiles, Files } from '../protocol/session';
import type { SessionInfo } from '../protocol/session-info';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { PlannedFault } from '../training/failures/fault-plan';

export interface RunOptions {
  /** Optional parts of the report. */
  readonly records?: RecordOptions | undefined;
  readonly gpu?: GPU | undefined;
  /**
   * Called after every micro-batch; `total`: number of steps, including an unfinished last one; `accumulate`:
   * micro-batches per step.
   */
  readonly onLoss?: (record: LossRecord, total: number, accumulate: number) => void;
  /** Called with what a large model's run is doing before its first step, which may take seconds. */
  readonly onPhase?: (text: string) => void;
  readonly trace?: boolean;
  /** Whether to add the loss over all rows in evaluation mode to the report. */
  readonly evaluate?: boolean;
  /** Faults to inject during the run. */
  readonly faults?: readonly PlannedFault[];
  /** Called with notices during the run, such as a restart. The report contains them, too. */
  readonly onNotice?: (notice: Notice) => void;
  readonly signal?: AbortSignal;
  /** Saves checkpoints every `every` steps and at the end, even if the run is stopped. */
  readonly checkpoint?: {
    readonly every: number | undefined;
    /** `shards`: the same checkpoint as an index and one file per rank, by name. */
    readonly save: (files: CheckpointFiles, shards: () => Files) => Promise<void>;
  };
}

export interface RunResult {
  readonly report: Report;
  readonly traces: readonly StepTrace[];
  /** Information about the run before it began: code lines, buffers, hardware. */
  readonly info: SessionInfo;
  /** Final weights as .safetensors. */
  readonly weights: () => Uint8Array<ArrayBuffer>;
  /** The rows as .safetensors, for the script of the code panel. */
  readonly dataset: () => Uint8Array<ArrayBuffer>;
  /** PyTorch's flight recorder, one dump per rank; throws if the run has no process group. */
  readonly flightRecorder: () => readonly FlightRecorderDump[];
}
