/**
 * The pace of a run: plays in chunks of steps with two chunks in flight, samples a trace and a snapshot at the page's pace, keeps a checkpoint, and
 * stops at a loss that is not finite or a device that is lost. Control messages are looked at between chunks. Emits SessionEvents; draws nothing.
 */
import { LockstepError } from '../base/errors';
import type { ControlMessage, SessionEvent } from '../protocol/session';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { Snapshots } from './snapshot';
import type { Checkpoint, Training } from './training';

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
  readonly emit: (event: SessionEvent) => void;
  /** A loss stopped being finite at this step. */
  readonly onNotFinite: (step: number, checkpoint: Checkpoint | undefined) => Promise<void>;
  readonly onFailure: (error: unknown) => Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function createPlayer({ training, snapshots, emit, onNotFinite, onFailure }: PlayerOptions): Player {
  let playing: { stepsPerSecond: number } | undefined;
  let loop: Promise<void> = Promise.resolve();
  let checkpoint: Checkpoint | undefined;
  let chunk = 1;

  const report = (records: readonly LossRecord[], stepsPerSecond: number): boolean => {
    emit({ type: 'losses', records, stepsPerSecond });
    return records.every((r) => Number.isFinite(r.loss));
  };
  const firstBad = (records: readonly LossRecord[]) =>
    records.find((r) => !Number.isFinite(r.loss))?.step ?? training.step;

  const sample = async (): Promise<boolean> => {
    const trace = await training.trace();
    emit({ type: 'trace', trace });
    const finite = report([trace.losses], 0);
    emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights()) });
    if (finite) checkpoint = await training.checkpoint();
    else await stop(trace.losses.step);
    return finite;
  };
  const stop = async (step: number) => {
    playing = undefined;
    await onNotFinite(step, checkpoint);
  };

  /** Steps until the next sample is due; false when the run stopped. */
  const playUntil = async (deadline: number): Promise<boolean> => {
    let flying: { records: Promise<readonly LossRecord[]>; steps: number; since: number } | undefined;
    const land = async (): Promise<boolean> => {
      if (!flying) return true;
      const { records, steps, since } = flying;
      flying = undefined;
      const done = await records;
      const ms = Math.max(0.1, performance.now() - since);
      if (report(done, (1000 * steps) / ms)) return true;
      await stop(firstBad(done));
      return false;
    };
    while (playing && performance.now() < deadline) {
      const { stepsPerSecond } = playing;
      const due =
        stepsPerSecond === 0 ? chunk : Math.max(1, Math.min(chunk, Math.floor((stepsPerSecond * CHUNK_MS) / 1000)));
      const since = performance.now();
      const next = { records: training.run(due), steps: due, since };
      next.records.catch(() => {});
      if (!(await land())) return false;
      flying = next;
      const ms = performance.now() - since;
      if (stepsPerSecond > 0) await pause(Math.max(0, (1000 * due) / stepsPerSecond - ms));
      else
        chunk = Math.max(1, Math.min(2000, Math.round(chunk * Math.min(2, Math.max(0.5, CHUNK_MS / Math.max(1, ms))))));
      // Lets control messages in: a worker's event loop must turn between chunks.
      await pause(0);
    }
    return land();
  };

  const play = async () => {
    try {
      emit({ type: 'state', state: 'playing', reason: '' });
      while (playing) {
        if (!(await sample())) break;
        if (!(await playUntil(performance.now() + SAMPLE_MS))) break;
      }
      if (!playing) emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights()) });
      emit({ type: 'state', state: 'paused', reason: '' });
    } catch (error) {
      playing = undefined;
      await onFailure(error);
    }
  };

  return {
    get checkpoint() {
      return checkpoint;
    },
    control(message) {
      if (message.type === 'play') {
        const running = playing !== undefined;
        playing = { stepsPerSecond: message.stepsPerSecond };
        if (!running) loop = loop.then(play);
      } else playing = undefined;
    },
    async traceStep() {
      if (playing) throw new LockstepError('internal', 'traceStep() was called while playing.', 'Pause first.');
      let result: StepTrace | undefined;
      const task = loop.then(async () => {
        result = await training.trace();
        emit({ type: 'trace', trace: result });
        const finite = report([result.losses], 0);
        emit({ type: 'snapshot', snapshot: snapshots.take(await training.weights()) });
        if (finite) checkpoint = await training.checkpoint();
        else await stop(result.losses.step);
      });
      loop = task.catch(async (error: unknown) => onFailure(error));
      await task;
      if (!result) throw new LockstepError('internal', 'the traced step left no trace');
      return result;
    },
    idle: () => loop,
  };
}
