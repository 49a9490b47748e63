/**
 * One run in progress, as others use it: it runs micro-batches, traces one, reads the weights, resets, checkpoints and
 * restores. It has no pace, no page and no policy; those are in session/player.ts, session/recovery.ts and
 * headless/run.ts. create-training.ts makes one.
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
  /** The next one to run. */
  readonly microBatch: number;
  /** What DDP's constructor sent; undefined where it was not traced. */
  readonly construct: StepTrace | undefined;
  /** Those that can run before the script ends on its own (stops.ts); mostly there is no end. */
  readonly microBatchesLeft: number;
  /**
   * Since when a call of run() or trace() has been under way without any of them coming to its end; undefined: none is.
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
  /** Where the devices are in the step that is under way. */
  positions(): Promise<readonly StandsAt[]>;
  /** Ends a rank now, as a crash would. */
  kill(rank: Rank): Promise<void>;
  lose(): Promise<void>;
  dispose(): Promise<void>;
}
