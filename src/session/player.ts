/**
 * The pace of a run: plays in chunks of steps (chunks.ts), samples a trace and a snapshot at the page's pace, keeps a
 * checkpoint, and stops at a loss that is not finite or a device that is lost. Control messages are looked at between
 * chunks. A pause ends with a sample, so that losses, trace, snapshot and checkpoint of a paused run are all of the
 * step that training has reached. Emits SessionEvents; draws nothing.
 */
import { LockstepError } from '../base/errors';
import type { Snapshots } from '../inference/snapshot';
import type { ControlMessage } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import type { StepTrace } from '../protocol/trace';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { Comparison } from '../training/control/comparison';
import type { Training } from '../training/training';
import { createChunks, type Playing, reportLosses } from './chunks';

/** How often the page gets a trace and a snapshot while playing. */
const SAMPLE_MS = 250;

export interface Player {
  control(message: ControlMessage): void;
  traceStep(): Promise<StepTrace>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** The newest state that a restart can go on from. */
  readonly checkpoint: Checkpoint | undefined;
}

export interface PlayerOptions {
  readonly training: Training;
  readonly snapshots: Snapshots;
  /** What `training` was restored from, if anything. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Where there is a single-device reference. */
  readonly comparison?: Comparison | undefined;
  readonly emit: (event: SessionEvent) => void;
  /** A newer checkpoint has been taken. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void;
  /** A loss stopped being finite there; nothing runs meanwhile. */
  readonly onNotFinite: (microBatch: number, checkpoint: Checkpoint | undefined) => Promise<void>;
  /** The training cannot go on. Must not wait for the player. */
  readonly onFailure: (error: unknown) => void;
}

export function createPlayer(options: PlayerOptions): Player {
  const { training, snapshots, comparison, emit, onNotFinite, onFailure } = options;
  /** What the user wants; the loop looks at it between chunks. */
  let playing: Playing | undefined;
  let looping = false;
  /** The run ends: nobody looks at what it shows. */
  let aborted = false;
  /** What is shown is of this step: the run was here after the last sample, or when this player took it over. */
  let sampledAt = training.microBatch;
  let tail: Promise<void> = Promise.resolve();
  let { checkpoint } = options;
  const chunks = createChunks({ training, comparison, emit, playing: () => playing });
  const stop = async (microBatch: number): Promise<void> => {
    playing = undefined;
    await onNotFinite(microBatch, checkpoint);
  };

  /** One traced micro-batch, the weights after it and a checkpoint. `finite` is false when the run stopped. */
  const sample = async (): Promise<{ readonly trace: StepTrace; readonly finite: boolean }> => {
    const trace = await training.trace();
    emit({ type: 'trace', trace });
    const bad = reportLosses(emit, [trace.losses], 0);
    emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights(), playing !== undefined) });
    if (bad === undefined) {
      checkpoint = await training.checkpoint();
      options.onCheckpoint?.(checkpoint);
      sampledAt = training.microBatch;
    } else await stop(bad);
    return { trace, finite: bad === undefined };
  };

  /** What is shown of a paused run is of the step that it has reached. False when the run stopped. */
  const settle = async (): Promise<boolean> => {
    if (sampledAt !== training.microBatch && training.microBatchesLeft > 0) return (await sample()).finite;
    emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights()) });
    return true;
  };
  const say = (state: 'playing' | 'paused') =>
    emit({ type: 'state', state, reason: '', microBatch: training.microBatch });

  /** Until paused. */
  const playOn = async (): Promise<void> => {
    say('playing');
    let finite = true;
    while (playing && finite) {
      if (training.microBatch >= playing.until) {
        playing = undefined;
        break;
      }
      const since = performance.now();
      ({ finite } = await sample());
      if (!finite) break;
      await chunks.pace(1, since);
      const bad = await chunks.runUntil(performance.now() + SAMPLE_MS);
      if (bad !== undefined) {
        finite = false;
        await stop(bad);
      }
    }
    // onNotFinite has already reported a loss that is not finite.
    if (finite && !aborted) finite = await settle();
    if (finite) say('paused');
  };
  const loop = async (): Promise<void> => {
    try {
      // Once at least, so that a Play that was taken back at once is answered with 'paused', too; once more when Play
      // came while it was winding down.
      do await playOn();
      while (playing);
    } catch (error) {
      playing = undefined;
      onFailure(error);
    } finally {
      looping = false;
    }
  };

  return {
    get checkpoint() {
      return checkpoint;
    },
    control(message) {
      aborted = message.type === 'abort';
      playing =
        message.type === 'play'
          ? { stepsPerSecond: message.stepsPerSecond, until: message.until ?? Number.POSITIVE_INFINITY }
          : undefined;
      if (!playing || looping) return;
      looping = true;
      tail = tail.then(loop);
    },
    traceStep() {
      if (playing)
        return Promise.reject(new LockstepError('internal', 'traceStep() was called while playing.', 'Pause first.'));
      const traced = tail.then(async () => (await sample()).trace);
      tail = traced.then(() => {}, onFailure);
      return traced;
    },
    idle: () => tail,
  };
}
