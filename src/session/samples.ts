/**
 * What the page is shown of a step: the trace of one micro-batch, the weights after it, and a checkpoint of there.
 * player.ts says when.
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
  /** What `training` was restored from, if anything. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly emit: (event: SessionEvent) => void;
  /** A newer checkpoint has been taken. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void;
  readonly isPlaying: () => boolean;
  /** The loss of a sampled micro-batch is not finite. */
  readonly stop: (microBatch: number) => Promise<void>;
}

export interface Samples {
  /** The newest state that a restart can go on from. */
  readonly checkpoint: Checkpoint | undefined;
  /** Trains one micro-batch, traced. `finite` is false when the run stopped. */
  take(): Promise<{ readonly trace: StepTrace; readonly finite: boolean }>;
  /** What is shown of a paused run is of the step that it has reached. False when the run stopped. */
  settle(): Promise<boolean>;
}

export function createSamples(options: SamplesOptions): Samples {
  const { training, snapshots, emit, isPlaying, stop } = options;
  let { checkpoint } = options;
  /** What is shown is of this step: the run was here after the last sample, or when this player took it over. */
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
