/**
 * The interface of one run in progress: run micro-batches, trace one, read the weights, reset, checkpoint and restore.
 * Pace and restarts are handled by session/player.ts, session/recovery.ts and headless/run.ts. create-training.ts makes
 * one.
 */
import type { LockstepError } from '../base/errors';
import type { Notice } from '../protocol/notice';
import type { DeviceReport } from '../protocol/session-info';
import type { LossRecord, Rank, StepTrace } from '../protocol/trace';
import type { StandsAt } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';
import type { Checkpoint } from './checkpoint/checkpoint';
import type { Weights } from './weights/weights';

export interface Training {
  readonly blueprint: Blueprint;
  readonly device: DeviceReport;
  readonly notices: readonly Notice[];
  /** The next micro-batch to run. */
  readonly microBatch: number;
  /** The trace of DDP's constructor; undefined if it was not traced. */
  readonly construct: StepTrace | undefined;
  /** Number of micro-batches before the script ends by itself (stops.ts); mostly infinite. */
  readonly microBatchesLeft: number;
  /**
   * The time since which calls of run() or trace() have been running without any of them finishing; undefined: no call
   * is running.
   */
  readonly busySinceMs: number | undefined;
  /** As World.lost. */
  readonly lost: Promise<LockstepError>;
  run(microBatches: number): Promise<readonly LossRecord[]>;
  /** Runs one micro-batch. */
  trace(): Promise<StepTrace>;
  weights(): Promise<Weights>;
  reset(): Promise<void>;
  checkpoint(): Promise<Checkpoint>;
  restore(checkpoint: Checkpoint): Promise<void>;
  corrupt(event: number | undefined, add: number): Promise<void>;
  /** The positions of the devices in the running step, of the ranks in workers that answer in time. */
  positions(limitMs?: number): Promise<readonly StandsAt[]>;
  /** Ends a rank now, as a crash would. */
  kill(rank: Rank): Promise<void>;
  lose(): Promise<void>;
  dispose(): Promise<void>;
}
