/**
 * What an open session says by itself, on its event port: at most one message per step, and what becomes of the run.
 * Types only.
 */
import type { Notice } from './notice';
import type { CheckpointFiles } from './session';
import type { DeviceReport } from './session-info';
import type { DifferenceAt, Snapshot } from './snapshot';
import type { LossRecord, Rank, StepTrace } from './trace';

export type SessionEvent =
  /** From the single-device reference, between snapshots: at the steps of training/control/compared-steps. */
  | { readonly type: 'difference'; readonly difference: DifferenceAt }
  | { readonly type: 'losses'; readonly records: readonly LossRecord[]; readonly stepsPerSecond: number }
  | { readonly type: 'trace'; readonly trace: StepTrace }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** What computes from now on: after a lost device it may be another one. */
  | { readonly type: 'device'; readonly device: DeviceReport }
  | {
      readonly type: 'state';
      readonly state: 'playing' | 'paused' | 'finished' | 'restarting' | 'failed';
      readonly reason: string;
      /**
       * Micro-batches that the run has behind it. The one truth of where it is, together with the losses that come
       * later: a run that has gone back (to a checkpoint, before a loss that is not finite) has no losses and no traces
       * from this one on.
       */
      readonly microBatch: number;
    }
  /** Ranks wait for each other, or one of them has ended; undefined: they go on. */
  | { readonly type: 'standstill'; readonly standstill: Standstill | undefined }
  /** The state to open another session with, should this one end by itself. At most every few seconds. */
  | { readonly type: 'kept'; readonly kept: KeptState }
  | { readonly type: 'progress'; readonly what: string; readonly done: number; readonly total: number };

/** What a rank does while the group stands still. */
export interface RankStanding {
  readonly rank: Rank;
  /** What the page calls it where that is not 'rank 2': 'server', 'worker 2'. */
  readonly name?: string;
  /** late: the others wait for it. ended: it was killed, or its worker is gone. */
  readonly is: 'ended' | 'late' | 'waiting' | 'running';
  /** 'all_reduce of bucket 0 (seq 1)'; undefined: it has not reported where it is. */
  readonly at: string | undefined;
  /** Of a rank that waits. */
  readonly waitsFor: Rank | undefined;
}

export interface Standstill {
  /** Micro-batches that the run has behind it: the next one does not come to its end. */
  readonly microBatch: number;
  readonly accumulate: number;
  readonly ranks: readonly RankStanding[];
  /** For how long the first of those who wait has waited; undefined: nobody waits any longer. */
  readonly waitedMs: number | undefined;
  readonly timeoutMs: number;
}

/** A checkpoint for a session that replaces one which has ended by itself. */
export interface KeptState {
  readonly microBatch: number;
  readonly files: CheckpointFiles;
}
