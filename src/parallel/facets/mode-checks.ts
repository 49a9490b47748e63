/** What a mode says to the user about a run that is about to start. */
import type { LockstepError } from '../../base/errors';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config, ConfigInput } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';

/** What a mode may read to make notices before a run starts. */
export interface NoticeInput {
  /** The configuration as requested, before `settle`. */
  readonly given: Config;
  readonly config: Config;
  readonly schedule: BatchSchedule;
  readonly input: ModeInput;
  /** The graph of a whole model on one device. */
  readonly stage: StageGraph;
  /** Rows of each process in a full batch. */
  readonly rows: readonly number[];
}

/** Where a training script ends early. */
export interface ModeStop {
  /** The first micro-batch that cannot run. */
  readonly microBatch: number;
  readonly error: LockstepError;
}

/** How a run would fit into the memory of its devices. */
export interface MemoryAdvice {
  /** A sentence or two. */
  readonly text: string;
  /** Settings of a run that fits, which the page offers; absent: the text alone says it. */
  readonly instead?: Pick<ConfigInput, 'mode' | 'worldSize' | 'sharded'>;
}

export interface ModeChecks {
  /** Refuses settings, once the number of batches of each process is known. */
  schedule?(config: Config, schedule: BatchSchedule): void;
  /** What is allowed, but worth saying before a run starts. */
  notices?(input: NoticeInput): readonly Notice[];
  stop?(input: NoticeInput): ModeStop | undefined;
  /** Advice if a Program of that kind needs more memory than a device has. */
  memoryAdvice?(input: ModeInput, kind: TrainingKind, budgetBytes: number): MemoryAdvice | undefined;
}
