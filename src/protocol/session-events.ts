/**
 * Events that an open session sends by itself on its event port: at most one per step, and changes of the run's state.
 * Types only.
 */
import type { Notice } from './notice';
import type { CheckpointFiles } from './session';
import type { DeviceReport } from './session-info';
import type { DifferenceAt, Snapshot } from './snapshot';
import type { LossRecord, Rank, StepTrace } from './trace';

export type SessionEvent =
  /** The difference from the single-device reference between snapshots (training/control/compared-steps). */
  | { readonly type: 'difference'; readonly difference: DifferenceAt }
  | { readonly type: 'losses'; readonly records: readonly LossRecord[]; readonly stepsPerSecond: number }
  | { readonly type: 'trace'; readonly trace: StepTrace }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The device that computes from now on; after a loss it may be another one. */
  | { readonly type: 'device'; readonly device: DeviceReport }
  | {
      readonly type: 'state';
      readonly state: 'playing' | 'paused' | 'finished' | 'restarting' | 'failed';
      readonly reason: string;
      /**
       * Number of completed micro-batches. It, and later losses, define the position of the run: a run that has gone
       * back (to a checkpoint, or before a non-finite loss) has no losses and no traces from this micro-batch on.
       */
      readonly microBatch: number;
    }
  /** Ranks wait for each other, or one of them has ended; undefined: they continue. */
  | { readonly type: 'standstill'; readonly standstill: Standstill | undefined }
  /** The state for opening another session if this one ends by itself. At most every few seconds. */
  | { readonly type: 'kept'; readonly kept: KeptState }
  | { readonly type: 'progress'; readonly what: string; readonly done: number; readonly total: number };

/** The state of a rank while its group waits. */
export interface RankStanding {
  readonly rank: Rank;
  /** The page's name of the rank, if not 'rank 2': 'server', 'worker 2'. */
  readonly name?: string;
  /** late: the others wait for it. ended: it was killed, or its worker is gone. */
  readonly is: 'ended' | 'late' | 'waiting' | 'running';
  /** 'all_reduce of bucket 0 (seq 1)'; undefined: it has not reported its position. */
  readonly at: string | undefined;
  /** The rank that a waiting rank waits for. */
  readonly waitsFor: Rank | undefined;
}

export interface Standstill {
  /** Number of completed micro-batches; the next one hangs. */
  readonly microBatch: number;
  readonly accumulate: number;
  readonly ranks: readonly RankStanding[];
  /** The longest time that a rank has waited; undefined: no rank waits any longer. */
  readonly waitedMs: number | undefined;
  readonly timeoutMs: number;
}

/** A checkpoint for a session that replaces one that has ended by itself. */
export interface KeptState {
  readonly microBatch: number;
  readonly files: CheckpointFiles;
}
