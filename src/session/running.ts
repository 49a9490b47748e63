/**
 * An open run: the calls that the page may make, and their order. Its parts have their own files: the run's states
 * (phase.ts), exclusive access to the training (training-lock.ts), the player of the training (current-player.ts),
 * recovery from lost devices and failed ranks (recovery.ts), and events to the page (reports.ts). One per open session;
 * session.ts owns it.
 */
import { asLockstepError, LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import { loadPart } from '../base/load-part';
import { within } from '../base/within';
import type { ModelState } from '../inference/evaluator';
import type { Inference } from '../inference/inference';
import { createSnapshots, loadViews } from '../inference/snapshot';
import { firstOfStep, stepWords } from '../protocol/micro-batches';
import type { FlightRecorderDump } from '../protocol/process-group';
import type { ControlMessage, FaultPlace } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import type { ShownViews, Snapshot } from '../protocol/snapshot';
import type { Rank, StepTrace } from '../protocol/trace';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { DeviceKeeper } from '../training/device-keeper';
import { FAILURE_WORDS } from '../training/failures/failure-words-part';
import { checkRank } from '../training/failures/fault-plan';
import { isRestartable } from '../training/failures/restartable';
import { type StandstillWatch, watchStandstill } from '../training/failures/standstill-watch';
import { Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import type { Weights } from '../training/weights/weights';
import { type CurrentPlayer, createCurrentPlayer } from './current-player';
import { SessionPhase } from './phase';
import { Recovery } from './recovery';
import { Reports } from './reports';
import { Turns } from './training-lock';

/** How long to wait for a hanging run before ending it anyway. */
const GRACE_MS = 2000;
/** While Reset waits for the running step, it checks this often whether the step is stuck. */
const LOOK_MS = 300;

export interface RunningOptions {
  readonly blueprint: Blueprint;
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  readonly post: (event: SessionEvent) => void;
  readonly shown?: ShownViews | undefined;
  /** The kept state of another session that has ended by itself. */
  readonly from?: Checkpoint | undefined;
}

export class Running {
  private readonly phase = new SessionPhase();
  private readonly turns = new Turns((message) => {
    if (this.phase.is === 'runs') this.player.now.control(message);
  });
  private readonly player: CurrentPlayer;
  private readonly recovery: Recovery;
  private readonly watch: StandstillWatch;
  private madeInference: Inference | undefined;
  /** The running step waits for a rank that does not come. */
  private stuck = false;

  private constructor(
    private readonly options: RunningOptions,
    private readonly supervisor: Supervisor,
    private readonly reports: Reports,
  ) {
    const { phase, turns } = this;
    const { blueprint, from } = options;
    const player = createCurrentPlayer({
      blueprint,
      reports,
      onStop: () => turns.forget(),
      onFailure: (training, error) => this.recovery.fail(training, error),
    });
    this.player = player;
    this.recovery = new Recovery({ blueprint, supervisor, phase, turns, reports, player });
    this.recovery.attach(this.training, from);
    reports.finished = this.training.microBatch;
    this.watch = watchStandstill({
      blueprint,
      training: () => this.training,
      microBatch: () => reports.finished,
      say: (standstill, stuck) => {
        this.stuck = stuck;
        if (phase.failure === undefined) reports.emit({ type: 'standstill', standstill });
      },
    });
  }

  static async start(options: RunningOptions): Promise<Running> {
    const { blueprint, keeper, gpu, post, from, shown } = options;
    await loadViews(blueprint);
    const reports = new Reports(post, createSnapshots(blueprint, shown));
    const onProgress = (done: number, total: number) =>
      reports.emit({ type: 'progress', what: 'Compiling kernels', done, total });
    const supervisor = await Supervisor.start({ blueprint, keeper, gpu, traceConstruct: true, onProgress }, from);
    const running = new Running(options, supervisor, reports);
    try {
      await running.recovery.showWeights();
      // Not awaited: Play does not need it.
      void FAILURE_WORDS.load().catch(() => undefined);
      return running;
    } catch (error) {
      await running.close();
      throw error;
    }
  }

  get training(): Training {
    return this.supervisor.training;
  }

  /** Ends a rank like a crash: now, or at the given place. */
  async killRank(rank: Rank, at?: FaultPlace): Promise<void> {
    checkRank(rank, this.options.blueprint.processOfDevice);
    await this.usable();
    this.checkAhead(at);
    if (at) this.supervisor.faults.add({ what: 'kill', rank, ...at });
    else await this.training.kill(rank);
  }

  /** Makes a rank hang: in the next step, or at the given place. */
  hangRank(rank: Rank, at: FaultPlace = {}): void {
    checkRank(rank, this.options.blueprint.processOfDevice);
    this.checkAhead(at);
    this.supervisor.faults.add({ what: 'hang', rank, ...at });
  }

  /** Refuses a fault in a finished step, which would never fire. */
  private checkAhead({ step }: FaultPlace = {}): void {
    const { config } = this.options.blueprint;
    if (step === undefined || firstOfStep(step, config) >= this.training.microBatch) return;
    throw new LockstepError(
      'config',
      `Step ${step} has already begun: the run has reached ${stepWords(this.training.microBatch, config)}.`,
      'Choose a later step.',
    );
  }

  /** Answers questions to the model; loaded at the first question. */
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
    this.turns.control(message);
  }

  async traceStep(): Promise<StepTrace> {
    await this.usable();
    const { reports } = this;
    const { finished } = reports;
    return this.recovery.outlive(async () => {
      // The device may be lost after the step, before its weights were read.
      if (reports.finished > finished && reports.lastTrace?.microBatch === finished) return reports.lastTrace;
      return this.player.now.traceStep();
    });
  }

  async snapshot(): Promise<Snapshot> {
    return this.reports.snapshots.take(await this.weights());
  }

  /** The current weights; for a run that cannot continue, those of its last checkpoint. */
  async weights(): Promise<Weights> {
    return this.hasEnded
      ? this.supervisor.weightsLeft(this.player.now.checkpoint)
      : this.recovery.outlive(() => this.training.weights());
  }

  async checkpoint(): Promise<Checkpoint> {
    const left = this.hasEnded ? this.supervisor.leftBehind(this.player.now.checkpoint) : undefined;
    return left ?? this.recovery.outlive(() => this.training.checkpoint());
  }

  /** The state with which the run began: the training goes back to it and returns. */
  startCheckpoint(): Promise<Checkpoint> {
    return this.turns.change(async () => {
      if (this.phase.failure) throw this.phase.failure;
      await this.player.now.idle();
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

  /** Whether the run has failed and is not being restarted. */
  private get hasEnded(): boolean {
    return this.phase.failure !== undefined && !this.turns.changing;
  }

  /** Weights of the last snapshot, so that questions cost the devices nothing. */
  get state(): ModelState {
    return must(this.reports.snapshots.state, 'a snapshot');
  }

  /** Returns to step 0 with the same weights and order of samples, on a new device if the old one is unusable. */
  reset(): Promise<void> {
    const { supervisor, phase, turns, reports, player, recovery } = this;
    return turns.change(async () => {
      supervisor.clear();
      turns.forget();
      player.now.control({ type: 'pause' });
      await this.idleOrStuck();
      const start = this.options.blueprint.resume?.checkpoint.microBatch ?? 0;
      reports.finished = start;
      const failed = phase.failure !== undefined || !(await this.startAgain());
      if (failed) await recovery.replace(undefined, start);
      else player.take(this.training, undefined);
      await recovery.showWeights();
      if (failed && !phase.failure) reports.state('paused', '');
    });
  }

  /**
   * If the running step stays stuck for a while, gives up the training: a new one is started without waiting for the
   * timeout. A slow rank only delays the others and ends the step by itself.
   */
  private async idleOrStuck(): Promise<void> {
    const idle = this.player.now.idle();
    let stuckMs = 0;
    while (!(await within(LOOK_MS, idle))) {
      stuckMs = this.stuck ? stuckMs + LOOK_MS : 0;
      if (stuckMs < GRACE_MS) continue;
      this.recovery.giveUpStep();
      return;
    }
  }

  async close(): Promise<void> {
    if (this.phase.is === 'closed') return;
    this.phase.close();
    this.reports.close();
    this.watch.end();
    this.turns.forget();
    this.player.now.control({ type: 'abort' });
    await this.turns.change(async () => {
      const ended = await within(GRACE_MS, this.player.now.idle());
      await this.training.dispose();
      // Work that still runs on the device would fail in the next session.
      if (!ended) this.options.keeper.forget();
    });
  }

  /** Waits for changes of the training; throws if the training cannot be used afterwards. */
  private async usable(): Promise<void> {
    await this.turns.settled();
    if (this.phase.failure) throw this.phase.failure;
  }

  /** False when the device turns out to be lost. */
  private async startAgain(): Promise<boolean> {
    try {
      await this.training.reset();
      return true;
    } catch (error) {
      if (!isRestartable(this.phase.breaks(asLockstepError(error)))) throw error;
      return false;
    }
  }
}
