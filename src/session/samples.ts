/**
 * Samples a step for the page: the trace of one micro-batch, the weights after it, and a checkpoint. Called by
 * player.ts.
 */
import type { Snapshots } from '../inference/snapshot';
import type { SessionEvent } from '../protocol/session-events';
import type { StepTrace } from '../protocol/trace';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { Training } from '../training/training';
import { reportLosses } from './chunks';

export interface SamplesOptions {
  readonly training: Training;
  readonly snapshots: Snapshots;
  /** The checkpoint from which `training` was restored, if any. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly emit: (event: SessionEvent) => void;
  /** Called with each newer checkpoint. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void;
  readonly isPlaying: () => boolean;
  /** Called if the loss of a sampled micro-batch is not finite. */
  readonly stop: (microBatch: number) => Promise<void>;
}

export interface Samples {
  /** The newest state from which a restart can continue. */
  readonly checkpoint: Checkpoint | undefined;
  /** Trains one micro-batch, traced. `finite` is false when the run stopped. */
  take(): Promise<{ readonly trace: StepTrace; readonly finite: boolean }>;
  /** Makes everything shown of a paused run belong to the step that it has reached. False when the run stopped. */
  settle(): Promise<boolean>;
}

export function createSamples(options: SamplesOptions): Samples {
  const { training, snapshots, emit, isPlaying, stop } = options;
  let { checkpoint } = options;
  /** The micro-batch that is shown: the position after the last sample, or when this player started. */
  let sampledAt = training.microBatch;

  const take: Samples['take'] = async () => {
    const trace = await training.trace();
    emit({ type: 'trace', trace });
    const bad = reportLosses(emit, [trace.losses], 0);
    emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights(), isPlaying()) });
    if (bad === undefined) {
      checkpoint = await training.checkpoint();
      options.onCheckpoint?.(checkpoint);
      sampledAt = training.microBatch;
    } else await stop(bad);
    return { trace, finite: bad === undefined };
  };
  return {
    get checkpoint() {
      return checkpoint;
    },
    take,
    async settle() {
      if (sampledAt !== training.microBatch && training.microBatchesLeft > 0) return (await take()).finite;
      emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights()) });
      return true;
    },
  };
}
