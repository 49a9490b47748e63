/**
 * An open run that outlives its device: holds the training and its player, rebuilds both at the last finished step after a lost device or a
 * failed rank, and explains a loss that is not finite. What replaces the training or its state (a restart, Reset, the end) comes one after the
 * other; steps and control messages that come meanwhile wait for it. One per open session; session.ts owns it.
 */
import { fromWire, LockstepError, toWire } from '../base/errors';
import { must } from '../base/invariant';
import { oneAtATime } from '../base/one-at-a-time';
import { within } from '../base/within';
import type { ControlMessage, Notice, SessionEvent, Snapshot } from '../protocol/session';
import type { StepTrace } from '../protocol/trace';
import type { Blueprint } from './blueprint';
import type { DeviceKeeper } from './device-keeper';
import type { ModelState } from './evaluator';
import { describeNotFinite, findNotFinite } from './find-not-finite';
import { createInference, type Inference } from './inference';
import { createPlayer, type Player } from './player';
import { resume } from './resume';
import { createSnapshots } from './snapshot';
import { type Checkpoint, createTraining, type Training, type Weights } from './training';

const RESTARTABLE = new Set(['device-lost', 'rank-failed', 'gpu']);
/** Restarts in a row without a step between them. */
const MOST_RESTARTS = 3;
/** A run that hangs is ended all the same. */
const GRACE_MS = 2000;

export interface RunningOptions {
  readonly blueprint: Blueprint;
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  readonly post: (event: SessionEvent) => void;
}

export class Running {
  private readonly snapshots;
  readonly inference: Inference;
  private player: Player;
  private closed = false;
  /** Why the training cannot go on, until a restart or Reset has replaced it. */
  private failure: LockstepError | undefined;
  private restarts = 0;
  /** Steps whose losses have been emitted: where a restart goes on. */
  private finished = 0;
  private lastTrace: StepTrace | undefined;
  /** A player that is being replaced. */
  private silenced: Player | undefined;
  /** What changes the training. */
  private readonly inTurn = oneAtATime();
  private changing = 0;
  /** The last control message that came during a change. */
  private held: ControlMessage | undefined;

  private constructor(
    private readonly options: RunningOptions,
    private currentTraining: Training,
  ) {
    this.snapshots = createSnapshots(options.blueprint);
    this.inference = createInference(options.blueprint);
    this.player = this.attach(currentTraining, undefined);
  }

  static async start(options: RunningOptions): Promise<Running> {
    const running = new Running(options, await open(options, options.post));
    try {
      await running.emitSnapshot();
      return running;
    } catch (error) {
      await running.close();
      throw error;
    }
  }

  get training(): Training {
    return this.currentTraining;
  }

  control(message: ControlMessage): void {
    if (this.changing > 0) this.held = message;
    else if (!this.failure) this.player.control(message);
  }

  async traceStep(): Promise<StepTrace> {
    await this.inTurn(() => {});
    if (this.failure) throw this.failure;
    const step = this.finished;
    return this.outlive(async () => {
      // The device may have gone after the step, before its weights were read.
      if (this.finished > step && this.lastTrace?.step === step) return this.lastTrace;
      return this.player.traceStep();
    });
  }

  async snapshot(): Promise<Snapshot> {
    return this.snapshots.take(await this.weights());
  }

  weights(): Promise<Weights> {
    return this.outlive(() => this.training.weights());
  }

  checkpoint(): Promise<Checkpoint> {
    return this.outlive(() => this.training.checkpoint());
  }

  /** Weights of the last snapshot: a question to them costs the devices nothing. */
  get state(): ModelState {
    return must(this.snapshots.state, 'a snapshot');
  }

  /** Same weights, same order of samples, step 0; on a new device where the old one is of no use any more. */
  reset(): Promise<void> {
    return this.change(async () => {
      this.restarts = 0;
      this.player.control({ type: 'pause' });
      await this.player.idle();
      this.finished = 0;
      const failed = this.failure !== undefined || !(await this.startAgain());
      if (failed) await this.replace(undefined, 0);
      else this.player = this.makePlayer(this.training, undefined);
      await this.emitSnapshot();
      if (failed && !this.failure) this.emit({ type: 'state', state: 'paused', reason: '' });
    });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.player.control({ type: 'abort' });
    await this.change(async () => {
      const ended = await within(GRACE_MS, this.player.idle());
      await this.training.dispose();
      // What still runs on the device would fail in the next session.
      if (!ended) this.options.keeper.forget();
    });
  }

  /** Does it again after a restart where the device is lost meanwhile. Not for use within a change, which it would wait for. */
  private async outlive<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const training = this.currentTraining;
      try {
        return await task();
      } catch (error) {
        if (!RESTARTABLE.has(typed(error).code)) throw error;
        this.fail(training, error);
        await this.inTurn(() => {});
        if (this.failure || this.closed) throw error;
      }
    }
  }

  /** False when the device turns out to be lost. */
  private async startAgain(): Promise<boolean> {
    try {
      await this.training.reset();
      return true;
    } catch (error) {
      this.failure ??= typed(error);
      if (!RESTARTABLE.has(this.failure.code)) throw error;
      return false;
    }
  }

  /** One change at a time; afterwards, what the user asked for meanwhile. */
  private change<T>(task: () => Promise<T>): Promise<T> {
    this.changing++;
    return this.inTurn(task).finally(() => {
      this.changing--;
      const message = this.held;
      if (this.changing > 0 || !message) return;
      this.held = undefined;
      if (!this.closed) this.control(message);
    });
  }

  /** A device that is lost meanwhile is replaced after what is being changed now, and its weights are shown then. */
  private async emitSnapshot(): Promise<void> {
    const training = this.currentTraining;
    try {
      this.emit({ type: 'snapshot', snapshot: this.snapshots.take(await training.weights()) });
    } catch (error) {
      if (!RESTARTABLE.has(typed(error).code)) throw error;
      this.fail(training, error);
    }
  }

  private readonly emit = (event: SessionEvent): void => {
    if (!this.closed) this.options.post(event);
  };

  private notice(level: Notice['level'], id: string, text: string, hint: string): void {
    this.emit({ type: 'notice', notice: { level, id, text, hint } });
  }

  private attach(training: Training, checkpoint: Checkpoint | undefined): Player {
    void training.lost.then((error) => this.fail(training, error));
    return this.makePlayer(training, checkpoint);
  }

  private makePlayer(training: Training, checkpoint: Checkpoint | undefined): Player {
    const player: Player = createPlayer({
      training,
      snapshots: this.snapshots,
      checkpoint,
      emit: (event) => {
        if (this.player !== player || this.silenced === player) return;
        if (event.type === 'trace') this.lastTrace = event.trace;
        if (event.type === 'losses') {
          this.restarts = 0;
          this.finished = (event.records.at(-1)?.step ?? this.finished - 1) + 1;
        }
        this.emit(event);
      },
      onNotFinite: (step, last) => this.explainNotFinite(training, step, last),
      onFailure: (error) => this.fail(training, error),
    });
    return player;
  }

  private async explainNotFinite(training: Training, step: number, checkpoint: Checkpoint | undefined): Promise<void> {
    const found = await findNotFinite(training, step, checkpoint);
    if (found.trace) this.emit({ type: 'trace', trace: found.trace });
    const hint = 'Training is paused. Lower the learning rate or look for extreme values in the data, then Reset.';
    this.notice('error', 'not-finite', describeNotFinite(found, this.options.blueprint.config.model.layers), hint);
    this.emit({ type: 'state', state: 'paused', reason: 'not-finite' });
  }

  /** Once for each training: what follows from a failure, and a failure of a training that has been replaced, is no news. */
  private fail(broken: Training, error: unknown): void {
    if (this.closed || this.failure || this.currentTraining !== broken) return;
    const failure = typed(error);
    this.failure = failure;
    if (RESTARTABLE.has(failure.code) && this.restarts++ < MOST_RESTARTS) {
      this.emit({ type: 'state', state: 'restarting', reason: failure.message });
      void this.change(() => this.recover(failure));
    } else {
      this.notice('error', failure.code, failure.message, failure.hint);
      this.emit({ type: 'state', state: 'failed', reason: failure.message });
    }
  }

  private async recover(failure: LockstepError): Promise<void> {
    // Reset may have come first, and the end too.
    if (this.closed || this.failure !== failure) return;
    const { checkpoint } = this.player;
    // What it may still have to say would be said again.
    this.silenced = this.player;
    // After a loss that is not finite the training has gone back.
    const step = Math.min(this.finished, this.training.step);
    try {
      await this.replace(checkpoint, step);
    } catch (second) {
      const { code, message, hint } = toWire(second);
      if (RESTARTABLE.has(code) && this.restarts++ < MOST_RESTARTS) return this.recover(failure);
      this.notice('error', code, `${failure.message} It could not be restarted: ${message}`, hint);
      this.emit({ type: 'state', state: 'failed', reason: message });
      return;
    }
    if (this.closed) return;
    const where = step > 0 ? `step ${step}` : 'the start';
    this.notice(
      'warning',
      failure.code,
      `${failure.message} Training goes on from ${where} on ${this.training.device.adapter}.`,
      'Press Play to go on.',
    );
    this.emit({ type: 'state', state: 'paused', reason: failure.code });
    await this.emitSnapshot();
  }

  /** A new training in place of one that has failed, before the same step. */
  private async replace(checkpoint: Checkpoint | undefined, step: number): Promise<void> {
    const broken = this.training;
    this.options.keeper.forget();
    void broken.dispose().catch(() => {});
    const next = await open(this.options, this.emit);
    try {
      await resume(next, checkpoint, step);
    } catch (error) {
      void next.dispose().catch(() => {});
      throw error;
    }
    this.currentTraining = next;
    this.failure = undefined;
    this.finished = step;
    this.player = this.attach(next, checkpoint);
    this.emit({ type: 'device', device: next.device });
    for (const notice of next.notices)
      if (!broken.notices.some(({ id }) => id === notice.id)) this.emit({ type: 'notice', notice });
  }
}

const typed = (error: unknown): LockstepError => (error instanceof LockstepError ? error : fromWire(toWire(error)));

function open({ blueprint, keeper, gpu }: RunningOptions, post: (event: SessionEvent) => void): Promise<Training> {
  return createTraining(blueprint, {
    keeper,
    gpu,
    onProgress: (done, total) => post({ type: 'progress', what: 'Compiling kernels', done, total }),
  });
}
