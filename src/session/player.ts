/**
 * The pace of a run: plays in chunks of steps (chunks.ts), takes a trace, a snapshot and a checkpoint at the page's
 * pace (samples.ts), and stops at a non-finite loss or a lost device. It reads control messages between chunks. A pause
 * ends with a sample, so that losses, trace, snapshot and checkpoint of a paused run all belong to the step that
 * training has reached. Emits SessionEvents; draws nothing.
 */
import { LockstepError } from '../base/errors';
import type { ControlMessage } from '../protocol/session';
import type { StepTrace } from '../protocol/trace';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { ControlComparison } from '../training/control/comparison';
import { createChunks, type PlayRequest } from './chunks';
import { createSamples, type SamplesOptions } from './samples';

/** How often the page gets a trace and a snapshot while playing. */
const SAMPLE_MS = 250;

export interface Player {
  control(message: ControlMessage): void;
  traceStep(): Promise<StepTrace>;
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
  /** The newest state from which a restart can continue. */
  readonly checkpoint: Checkpoint | undefined;
}

export interface PlayerOptions extends Omit<SamplesOptions, 'isPlaying' | 'stop'> {
  /** Set if the run has a single-device reference. */
  readonly comparison?: ControlComparison | undefined;
  /** Called with the micro-batch of a non-finite loss; nothing runs meanwhile. */
  readonly onNotFinite: (microBatch: number, checkpoint: Checkpoint | undefined) => Promise<void>;
  /** Called when the training cannot continue. Must not wait for the player. */
  readonly onFailure: (error: unknown) => void;
}

export function createPlayer(options: PlayerOptions): Player {
  const { training, comparison, emit, onNotFinite, onFailure } = options;
  /** The user's request; the loop reads it between chunks. */
  let playing: PlayRequest | undefined;
  let looping = false;
  /** The run ends, so no samples are needed. */
  let aborted = false;
  let tail: Promise<void> = Promise.resolve();
  const stop = async (microBatch: number): Promise<void> => {
    playing = undefined;
    await onNotFinite(microBatch, samples.checkpoint);
  };
  const chunks = createChunks({ training, comparison, emit, playing: () => playing });
  const samples = createSamples({ ...options, isPlaying: () => playing !== undefined, stop });
  const say = (state: 'playing' | 'paused') =>
    emit({ type: 'state', state, reason: '', microBatch: training.microBatch });

  /** Plays until paused. */
  const playOn = async (): Promise<void> => {
    say('playing');
    let finite = true;
    while (playing && finite) {
      if (training.microBatch >= playing.until) {
        playing = undefined;
        break;
      }
      const since = performance.now();
      ({ finite } = await samples.take());
      if (!finite) break;
      await chunks.pace(1, since);
      const bad = await chunks.runUntil(performance.now() + SAMPLE_MS);
      if (bad !== undefined) {
        finite = false;
        await stop(bad);
      }
    }
    // onNotFinite has already reported a loss that is not finite.
    if (finite && !aborted) finite = await samples.settle();
    if (finite) say('paused');
  };
  const loop = async (): Promise<void> => {
    try {
      // Runs at least once, so that a Play that is paused at once is also answered with 'paused'; runs again if Play
      // arrived while it was stopping.
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
      return samples.checkpoint;
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
      const traced = tail.then(async () => (await samples.take()).trace);
      tail = traced.then(() => {}, onFailure);
      return traced;
    },
    idle: () => tail,
  };
}
