/**
 * The pace of a run: plays in chunks of steps with two chunks in flight, samples a trace and a snapshot at the page's
 * pace, keeps a checkpoint, and stops at a loss that is not finite or a device that is lost. Control messages are
 * looked at between chunks. A pause ends with a sample, so that losses, trace, snapshot and checkpoint of a paused run
 * are all of the step that training has reached. Emits SessionEvents; draws nothing.
 */
import { LockstepError } from '../base/errors';
import type { Snapshots } from '../inference/snapshot';
import { firstOfStep, stepOf } from '../protocol/micro-batches';
import type { ControlMessage, SessionEvent } from '../protocol/session';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { Comparison } from '../training/control/comparison';
import type { Training, Weights } from '../training/training';

/** How often the page gets a trace and a snapshot while playing, and how long a chunk of steps should take. */
const SAMPLE_MS = 250;
const CHUNK_MS = 30;

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

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Micro-batches that have been enqueued and whose losses have not come yet. */
interface Flight {
  readonly records: Promise<readonly LossRecord[]>;
  readonly count: number;
  readonly since: number;
  /** After them, where the run is compared with its reference. */
  readonly weights: Promise<Weights> | undefined;
}

export function createPlayer(options: PlayerOptions): Player {
  const { training, snapshots, comparison, emit, onNotFinite, onFailure } = options;
  /** What the user wants; the loop looks at it between chunks. */
  let playing: { readonly stepsPerSecond: number } | undefined;
  let looping = false;
  /** The run ends: nobody looks at what it shows. */
  let aborted = false;
  /** What is shown is of this step: the run stood here after the last sample, or when this player took it over. */
  let sampledAt = training.microBatch;
  let tail: Promise<void> = Promise.resolve();
  const { accumulate } = training.blueprint.config;
  let { checkpoint } = options;
  let chunk = 1;

  /** Micro-batch of the first loss that is not finite. */
  const report = (records: readonly LossRecord[], stepsPerSecond: number): number | undefined => {
    emit({ type: 'losses', records, stepsPerSecond });
    return records.find((r) => !Number.isFinite(r.loss))?.microBatch;
  };
  const stop = async (microBatch: number): Promise<void> => {
    playing = undefined;
    await onNotFinite(microBatch, checkpoint);
  };

  /** One traced micro-batch, the weights after it and a checkpoint. `finite` is false when the run stopped. */
  const sample = async (): Promise<{ readonly trace: StepTrace; readonly finite: boolean }> => {
    const trace = await training.trace();
    emit({ type: 'trace', trace });
    const bad = report([trace.losses], 0);
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

  /**
   * Waits until so many micro-batches may have been taken, and lets control messages in: a worker's event loop must
   * turn between chunks.
   */
  const pace = async (count: number, since: number): Promise<void> => {
    const perSecond = accumulate * (playing?.stepsPerSecond ?? 0);
    const dueMs = perSecond > 0 ? since + (1000 * count) / perSecond - performance.now() : 0;
    await pause(Math.max(0, dueMs));
  };

  const land = async ({ records, count, since, weights }: Flight): Promise<number | undefined> => {
    const done = await records;
    const bad = report(done, (1000 * count) / accumulate / Math.max(0.1, performance.now() - since));
    const read = await weights;
    const value = read && comparison?.difference(read);
    if (read && value !== undefined)
      emit({ type: 'difference', difference: { step: stepOf(read.microBatch, { accumulate }), value } });
    return bad;
  };
  /** No further than to the next step at which the run is compared. */
  const launch = (wanted: number): Flight => {
    const since = performance.now();
    const start = training.microBatch;
    const step = comparison?.next(stepOf(start, { accumulate })) ?? Number.POSITIVE_INFINITY;
    const due = firstOfStep(step, { accumulate });
    const count = Math.min(wanted, due - start);
    const records = training.run(count);
    records.catch(() => {});
    const weights = training.microBatch === due ? training.weights() : undefined;
    weights?.catch(() => {});
    return { records, count, since, weights };
  };

  /** Steps until the next sample is due; false when the run stopped. */
  const playUntil = async (deadline: number): Promise<boolean> => {
    let flying: Flight | undefined;
    // The last one before the script ends is sampled: it is what is looked at then.
    while (playing && performance.now() < deadline && training.microBatchesLeft > 1) {
      const perSecond = accumulate * playing.stepsPerSecond;
      const paced = perSecond === 0 ? chunk : Math.max(1, Math.min(chunk, Math.floor((perSecond * CHUNK_MS) / 1000)));
      const wanted = Math.min(paced, training.microBatchesLeft - 1);
      const next = launch(wanted);
      const bad = flying && (await land(flying));
      if (bad !== undefined) {
        // The steps after the bad one are under way: the search for its cause must not run among them.
        await next.records.catch(() => {});
        await stop(bad);
        return false;
      }
      flying = next;
      const ms = performance.now() - next.since;
      // A chunk that was cut short says little about how long a whole one takes.
      if (perSecond === 0 && next.count === wanted)
        chunk = Math.max(1, Math.min(2000, Math.round(chunk * Math.min(2, Math.max(0.5, CHUNK_MS / Math.max(1, ms))))));
      await pace(next.count, next.since);
    }
    const bad = flying && (await land(flying));
    if (bad !== undefined) await stop(bad);
    return bad === undefined;
  };

  /** Until paused. */
  const playOn = async (): Promise<void> => {
    say('playing');
    let finite = true;
    while (playing && finite) {
      const since = performance.now();
      ({ finite } = await sample());
      if (!finite) break;
      await pace(1, since);
      finite = await playUntil(performance.now() + SAMPLE_MS);
    }
    // Of a loss that is not finite, onNotFinite has spoken.
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
      playing = message.type === 'play' ? { stepsPerSecond: message.stepsPerSecond } : undefined;
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
