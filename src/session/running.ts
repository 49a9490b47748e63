/**
 * An open run that outlives its device: holds the training and its player, rebuilds both at the last finished step
 * after a lost device or a failed rank, and explains a loss that is not finite. What replaces the training or its state
 * (a restart, Reset, the end) comes one after the other; steps and control messages that come meanwhile wait for it.
 * One per open session; session.ts owns it.
 */
import { asLockstepError, LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import { loadPart } from '../base/load-part';
import { oneAtATime } from '../base/one-at-a-time';
import { within } from '../base/within';
import type { ModelState } from '../inference/evaluator';
import type { Inference } from '../inference/inference';
import { createSnapshots, loadViews } from '../inference/snapshot';
import { firstOfStep, stepWords } from '../protocol/micro-batches';
import type { Notice } from '../protocol/notice';
import type { FlightRecorderDump } from '../protocol/process-group';
import type { ControlMessage, FaultPlace } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import type { Snapshot } from '../protocol/snapshot';
import type { Rank, StepTrace } from '../protocol/trace';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { keepOutside } from '../training/checkpoint/keep-outside';
import { comparisonOf } from '../training/control/comparison';
import type { DeviceKeeper } from '../training/device-keeper';
import { checkRank } from '../training/failures/fault-plan';
import { isRestartable } from '../training/failures/restartable';
import { standstillAfter } from '../training/failures/standstill';
import { type StandstillWatch, watchStandstill } from '../training/failures/standstill-watch';
import { describeNotFinite, findNotFinite } from '../training/find-not-finite';
import { Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import type { Weights } from '../training/weights/weights';
import { createPlayer, type Player } from './player';

/** A run that hangs is ended all the same. */
const GRACE_MS = 2000;

export interface RunningOptions {
  readonly blueprint: Blueprint;
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  readonly post: (event: SessionEvent) => void;
  /** Where another session stood that has ended by itself. */
  readonly from?: Checkpoint | undefined;
}

export class Running {
  private readonly snapshots;
  private madeInference: Inference | undefined;
  private player: Player;
  private closed = false;
  /** Why the training cannot go on, until a restart or Reset has replaced it. */
  private failure: LockstepError | undefined;
  private readonly watch: StandstillWatch;
  private readonly keepOutside: (checkpoint: Checkpoint) => void;
  /** What the user asked for last, while it lasts: after a rank has failed, it goes on. */
  private wish: ControlMessage | undefined;
  /**
   * Micro-batches that the run has behind it: those whose losses have been emitted. Where it is, and where a restart
   * goes on.
   */
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
    private readonly supervisor: Supervisor,
  ) {
    this.snapshots = createSnapshots(options.blueprint);
    this.keepOutside = keepOutside(options.blueprint, (kept) => this.emit({ type: 'kept', kept }));
    this.player = this.attach(this.training, options.from);
    this.finished = this.training.microBatch;
    this.watch = watchStandstill({
      blueprint: options.blueprint,
      training: () => this.training,
      microBatch: () => this.finished,
      say: (standstill) => this.failure === undefined && this.emit({ type: 'standstill', standstill }),
    });
  }

  static async start(options: RunningOptions): Promise<Running> {
    const { blueprint, keeper, gpu, post, from } = options;
    await loadViews(blueprint);
    let running: Running | undefined;
    const onProgress = (done: number, total: number) =>
      (running?.emit ?? post)({ type: 'progress', what: 'Compiling kernels', done, total });
    const supervisor = await Supervisor.start({ blueprint, keeper, gpu, traceConstruct: true, onProgress }, from);
    running = new Running(options, supervisor);
    try {
      await running.emitSnapshot();
      return running;
    } catch (error) {
      await running.close();
      throw error;
    }
  }

  get training(): Training {
    return this.supervisor.training;
  }

  /** A rank ends as a crash would end it: now, or at the given place. */
  async killRank(rank: Rank, at?: FaultPlace): Promise<void> {
    checkRank(rank, this.options.blueprint.rankOfDevice);
    await this.inTurn(() => {});
    if (this.failure) throw this.failure;
    this.checkAhead(at);
    if (at) this.supervisor.faults.add({ what: 'kill', rank, ...at });
    else await this.training.kill(rank);
  }

  /** A rank hangs: in the next step, or at the given place. */
  hangRank(rank: Rank, at: FaultPlace = {}): void {
    checkRank(rank, this.options.blueprint.rankOfDevice);
    this.checkAhead(at);
    this.supervisor.faults.add({ what: 'hang', rank, ...at });
  }

  /** A fault planned for a step that is over would never come. */
  private checkAhead({ step }: FaultPlace = {}): void {
    const { config } = this.options.blueprint;
    if (step === undefined || firstOfStep(step, config) >= this.training.microBatch) return;
    throw new LockstepError(
      'config',
      `Step ${step} has begun already: the run is before ${stepWords(this.training.microBatch, config)}.`,
      'Choose a later step.',
    );
  }

  /** Answers questions to the model; loaded at the first of them. */
  async inference(): Promise<Inference> {
    const { createInference } = await loadPart('What the model answers by', () => import('../inference/inference'));
    this.madeInference ??= createInference(this.options.blueprint);
    return this.madeInference;
  }

  /** PyTorch's flight recorder, one dump per rank. */
  async flightRecorder(): Promise<readonly FlightRecorderDump[]> {
    const { flightDump } = await loadPart(
      'The flight recorder’s writer',
      () => import('../training/failures/flight-dump'),
    );
    // Its entries name lines of the script.
    await this.options.blueprint.mode.listing.load();
    return flightDump(this.supervisor.flight, this.options.blueprint);
  }

  control(message: ControlMessage): void {
    this.wish = message.type === 'play' ? message : undefined;
    if (this.changing > 0) this.held = message;
    else if (!this.failure) this.player.control(message);
  }

  async traceStep(): Promise<StepTrace> {
    await this.inTurn(() => {});
    if (this.failure) throw this.failure;
    const { finished } = this;
    return this.outlive(async () => {
      // The device may have gone after the step, before its weights were read.
      if (this.finished > finished && this.lastTrace?.microBatch === finished) return this.lastTrace;
      return this.player.traceStep();
    });
  }

  async snapshot(): Promise<Snapshot> {
    return this.snapshots.take(await this.weights());
  }

  /** Of a run that cannot go on: those of its last checkpoint. */
  async weights(): Promise<Weights> {
    return this.hasEnded
      ? this.supervisor.weightsLeft(this.player.checkpoint)
      : this.outlive(() => this.training.weights());
  }

  async checkpoint(): Promise<Checkpoint> {
    const left = this.hasEnded ? this.leftBehind() : undefined;
    return left ?? this.outlive(() => this.training.checkpoint());
  }

  /** The state that the run began with: the training goes back there and returns. */
  startCheckpoint(): Promise<Checkpoint> {
    return this.change(async () => {
      if (this.failure) throw this.failure;
      await this.player.idle();
      const { training } = this;
      const now = await training.checkpoint();
      try {
        await training.reset();
        return await training.checkpoint();
      } finally {
        await training.restore(now);
      }
    });
  }

  /** It has failed and is not being restarted. */
  private get hasEnded(): boolean {
    return this.failure !== undefined && this.changing === 0;
  }

  /** The state that a restart would go on from; undefined: the start. */
  private leftBehind(): Checkpoint | undefined {
    return this.supervisor.leftBehind(this.player.checkpoint);
  }

  /** Weights of the last snapshot: a question to them costs the devices nothing. */
  get state(): ModelState {
    return must(this.snapshots.state, 'a snapshot');
  }

  /** Same weights, same order of samples, step 0; on a new device where the old one is of no use any more. */
  reset(): Promise<void> {
    return this.change(async () => {
      this.supervisor.clear();
      this.wish = undefined;
      this.player.control({ type: 'pause' });
      await this.player.idle();
      const start = this.options.blueprint.resume?.checkpoint.microBatch ?? 0;
      this.finished = start;
      const failed = this.failure !== undefined || !(await this.startAgain());
      if (failed) await this.replace(undefined, start);
      else this.player = this.makePlayer(this.training, undefined);
      await this.emitSnapshot();
      if (failed && !this.failure) this.say('paused', '');
    });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.watch.end();
    this.wish = undefined;
    this.player.control({ type: 'abort' });
    await this.change(async () => {
      const ended = await within(GRACE_MS, this.player.idle());
      await this.training.dispose();
      // What still runs on the device would fail in the next session.
      if (!ended) this.options.keeper.forget();
    });
  }

  /**
   * Does it again after a restart where the device is lost meanwhile. Not for use within a change, which it would wait
   * for.
   */
  private async outlive<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const training = this.training;
      try {
        return await task();
      } catch (error) {
        // What was under way on a training that has been replaced meanwhile, or is being replaced, was given up with
        // it.
        const given = this.training !== training || (this.failure !== undefined && this.changing > 0);
        if (!given && !isRestartable(asLockstepError(error))) throw error;
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
      this.failure ??= asLockstepError(error);
      if (!isRestartable(this.failure)) throw error;
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
    const training = this.training;
    try {
      this.emit({ type: 'snapshot', snapshot: this.snapshots.take(await training.weights()) });
    } catch (error) {
      if (this.training === training && !isRestartable(asLockstepError(error))) throw error;
      this.fail(training, error);
    }
  }

  private readonly emit = (event: SessionEvent): void => {
    if (!this.closed) this.options.post(event);
  };

  private notice(notice: Notice): void {
    this.emit({ type: 'notice', notice });
  }

  /** With where it is. */
  private say(state: Extract<SessionEvent, { type: 'state' }>['state'], reason: string): void {
    this.emit({ type: 'state', state, reason, microBatch: this.finished });
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
      comparison: comparisonOf(this.options.blueprint),
      emit: (event) => {
        if (this.player !== player || this.silenced === player) return;
        if (event.type === 'trace') this.lastTrace = event.trace;
        if (event.type === 'losses') {
          this.finished = (event.records.at(-1)?.microBatch ?? this.finished - 1) + 1;
        }
        this.emit(event);
      },
      onCheckpoint: (kept) => {
        if (this.player === player && this.silenced !== player) this.keepOutside(kept);
      },
      onNotFinite: (microBatch, last) => this.explainNotFinite(training, microBatch, last),
      onFailure: (error) => this.fail(training, error),
    });
    return player;
  }

  private async explainNotFinite(
    training: Training,
    microBatch: number,
    checkpoint: Checkpoint | undefined,
  ): Promise<void> {
    this.wish = undefined;
    const found = await findNotFinite(training, microBatch, checkpoint);
    // The search has gone back, and come to the micro-batch that broke.
    this.finished = training.microBatch;
    if (found.trace) this.emit({ type: 'trace', trace: found.trace });
    this.notice({
      level: 'error',
      id: 'not-finite',
      text: describeNotFinite(found, this.options.blueprint.config),
      hint: 'Training is paused. Lower the learning rate or look for extreme values in the data, then Reset.',
    });
    this.say('paused', 'not-finite');
  }

  /**
   * Once for each training: what follows from a failure, and a failure of a training that has been replaced, is no
   * news.
   */
  private fail(broken: Training, error: unknown): void {
    if (this.closed || this.failure || this.training !== broken) return;
    const { blueprint } = this.options;
    const failure = this.supervisor.failed(error, this.finished);
    this.failure = failure;
    const standstill = standstillAfter(blueprint, failure, this.finished);
    this.emit({ type: 'standstill', standstill });
    if (!this.supervisor.restartsAfter(failure, this.finished)) {
      this.giveUp(failure);
      return;
    }
    this.say('restarting', failure.message);
    const notice = this.supervisor.restartingNotice(failure);
    if (notice) this.notice(notice);
    void this.change(() => this.recover(failure));
  }

  /** What is left is the last checkpoint: the run is there again. `again`: why it could not be started again. */
  private giveUp(failure: LockstepError, again?: LockstepError): void {
    // Steps that were under way may still come to their end; they are not what is left.
    this.silenced = this.player;
    const reached = this.finished;
    this.finished = this.leftBehind()?.microBatch ?? 0;
    this.notice(this.supervisor.gaveUpNotice(failure, { kept: this.player.checkpoint, reached, again }));
    this.say('failed', failure.message);
  }

  private async recover(failure: LockstepError): Promise<void> {
    // Reset may have come first, and the end too.
    if (this.closed || this.failure !== failure) return;
    const { checkpoint } = this.player;
    // What it may still have to say would be said again.
    this.silenced = this.player;
    // After a loss that is not finite the training has gone back.
    const microBatch = Math.min(this.finished, this.training.microBatch);
    let last: StepTrace | undefined;
    try {
      last = await this.replace(checkpoint, microBatch);
    } catch (second) {
      const again = this.supervisor.explained(second, microBatch);
      if (this.supervisor.restartsAfter(again, microBatch)) return this.recover(failure);
      this.giveUp(failure, again);
      return;
    }
    if (this.closed) return;
    // It played, and nobody has said anything else meanwhile.
    const plays = this.wish !== undefined && !this.held;
    const waits = plays && this.supervisor.waitsAfter(failure);
    const outcome = waits ? 'waits' : plays ? 'playing' : 'paused';
    this.emit({ type: 'standstill', standstill: undefined });
    // What is shown is of the step where the run is.
    if (last) this.emit({ type: 'trace', trace: last });
    this.notice(this.supervisor.recoveredNotice({ failure, checkpoint, microBatch, outcome }));
    if (waits) this.wish = undefined;
    await this.emitSnapshot();
    // Lost again meanwhile: what becomes of that is said next.
    if (this.failure) return;
    if (outcome === 'playing') this.held ??= this.wish;
    else this.say('paused', waits ? 'lost-again' : failure.code);
  }

  /** A new training in place of one that has failed, before the same micro-batch. */
  private async replace(checkpoint: Checkpoint | undefined, microBatch: number): Promise<StepTrace | undefined> {
    const broken = this.training;
    const last = await this.supervisor.replace({ checkpoint, microBatch, look: true });
    const next = this.training;
    this.failure = undefined;
    this.finished = microBatch;
    this.player = this.attach(next, checkpoint);
    this.emit({ type: 'device', device: next.device });
    for (const notice of next.notices)
      if (!broken.notices.some(({ id }) => id === notice.id)) this.emit({ type: 'notice', notice });
    return last;
  }
}
