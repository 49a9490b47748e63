/**
 * Keeps a run alive: owns its training, and if a device is lost or a rank fails, asks the restart policy whether to
 * restart; if so, it opens a new training and brings it to the same micro-batch. One per run, for the page's session
 * (recovery.ts) and headless runs (run.ts). It sets no pace and tells the user nothing itself: it returns notices.
 */
import { asLockstepError, type LockstepError } from '../base/errors';
import type { Notice } from '../protocol/notice';
import type { StepTrace } from '../protocol/trace';
import type { Blueprint } from './blueprint';
import type { Checkpoint } from './checkpoint/checkpoint';
import { resume } from './checkpoint/resume';
import { createTraining } from './create-training';
import type { DeviceKeeper } from './device-keeper';
import { FAILURE_WORDS } from './failures/failure-words-part';
import { FaultPlan } from './failures/fault-plan';
import { FlightLog } from './failures/flight-log';
import { RestartPolicy } from './failures/restart-policy';
import { isOfRank, isRestartable } from './failures/restartable';
import type { Training } from './training';
import { startWeights, type Weights, weightsIn } from './weights/weights';

export interface SupervisorOptions {
  readonly blueprint: Blueprint;
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  /** The first time that DDP's constructor runs is traced. */
  readonly traceConstruct?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Replacement {
  /** The checkpoint that the ranks load; undefined: the start of the run. */
  readonly checkpoint: Checkpoint | undefined;
  /** Where the run was; the steps since the checkpoint are repeated. */
  readonly microBatch: number;
  /** Whether to trace the last repeated step, so that the page can show where the run is. */
  readonly look?: boolean;
}

export interface SupervisorRecovery extends Replacement {
  readonly failure: LockstepError;
  /**
   * playing: it continues by itself. waits: it waits for the user, because devices are lost repeatedly. paused: it was
   * not playing.
   */
  readonly outcome: 'playing' | 'waits' | 'paused';
}

/** A failure before the words about failures are loaded. */
const bareNotice = (level: Notice['level'], { code, message, hint }: LockstepError): Notice => ({
  level,
  id: code,
  text: message,
  hint,
});

export class Supervisor {
  /** Faults (kill, hang) that the user has planned; a fault that has fired does not fire again after a restart. */
  readonly faults: FaultPlan;
  readonly flight = new FlightLog();
  private readonly policy: RestartPolicy;
  private current: Training | undefined;

  private constructor(private readonly options: SupervisorOptions) {
    const { config } = options.blueprint;
    this.faults = new FaultPlan(config);
    this.policy = new RestartPolicy(config.maxRestarts);
  }

  /** `from`: the last checkpoint of a session whose worker ended. */
  static async start(options: SupervisorOptions, from?: Checkpoint): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    supervisor.current = await supervisor.open({ checkpoint: from, microBatch: from?.microBatch ?? 0 });
    return supervisor;
  }

  /** The training that runs now. */
  get training(): Training {
    if (!this.current) throw new Error('the supervisor has not been started');
    return this.current;
  }

  /** Number of restarts of all ranks because one of them failed. */
  get restarts(): number {
    return this.policy.restarts;
  }

  /**
   * Puts the error into the run's words and notes it in the flight recorder. `finished`: number of finished
   * micro-batches.
   */
  failed(error: unknown, finished: number): LockstepError {
    const failure = this.explained(error, finished);
    this.flight.failed(failure.details);
    return failure;
  }

  explained(error: unknown, finished: number): LockstepError {
    const failure = asLockstepError(error);
    return FAILURE_WORDS.now()?.explainFailure(failure, this.options.blueprint, finished) ?? failure;
  }

  /** Whether a new training should replace the failed one; counts the failure. */
  restartsAfter(failure: LockstepError, finished: number): boolean {
    const restarts = this.policy.restartsAfter(failure, finished);
    if (restarts) this.faults.replan(failure);
    return restarts;
  }

  /** Opens a new training in place of the failed one and closes the old one. */
  async replace(replacement: Replacement): Promise<StepTrace | undefined> {
    const broken = this.training;
    this.options.keeper.forget();
    void broken.dispose().catch(() => {});
    let last: StepTrace | undefined;
    this.current = await this.open(replacement, (trace) => {
      last = trace;
    });
    this.policy.recovered();
    return last;
  }

  /** Shown at once, and later replaced by the outcome. A lost device has no such notice. */
  restartingNotice(failure: LockstepError): Notice | undefined {
    return FAILURE_WORDS.now()?.restartingNotice(failure, this.count);
  }

  recoveredNotice({ failure, checkpoint, microBatch, outcome }: SupervisorRecovery): Notice {
    const { losses } = this.policy;
    const { adapter } = this.training.device;
    const recovered = { failure, from: checkpoint, microBatch, outcome, losses, adapter, ...this.count };
    return FAILURE_WORDS.now()?.recoveredNotice(recovered) ?? bareNotice('warning', failure);
  }

  /** `kept`: the newest checkpoint of the run. `again`: why it could not be started again. */
  gaveUpNotice(
    failure: LockstepError,
    { kept, reached, again }: { kept: Checkpoint | undefined; reached: number; again?: LockstepError | undefined },
  ): Notice {
    const left = this.leftBehind(kept);
    const givenUp = {
      failure,
      again,
      usedUp: isRestartable(again ?? failure),
      config: this.options.blueprint.config,
      reached,
      left: left?.microBatch ?? 0,
      hasCheckpoint: left !== undefined,
    };
    return FAILURE_WORDS.now()?.gaveUpNotice(givenUp) ?? bareNotice('error', failure);
  }

  /**
   * Whether devices are lost in such quick succession that the run may be the cause; the user should then decide
   * whether to continue.
   */
  waitsAfter(failure: LockstepError): boolean {
    return !isOfRank(failure) && this.policy.waits;
  }

  /** The state that remains of a run that cannot continue; undefined: the start. */
  leftBehind(kept: Checkpoint | undefined): Checkpoint | undefined {
    return kept ?? this.options.blueprint.resume?.checkpoint;
  }

  weightsLeft(kept: Checkpoint | undefined): Weights {
    const { blueprint } = this.options;
    const left = this.leftBehind(kept);
    return left ? weightsIn(left, blueprint) : startWeights(blueprint);
  }

  /** Forgets failures and planned faults, for a new start. */
  clear(): void {
    this.policy.clear();
    this.faults.clear();
    this.flight.clear();
  }

  private get count() {
    return { restarts: this.policy.restarts, config: this.options.blueprint.config };
  }

  /** Opens a training and brings it to where the run was. */
  private async open(
    { checkpoint, microBatch, look = false }: Replacement,
    onTrace: (trace: StepTrace) => void = () => {},
  ): Promise<Training> {
    const { blueprint, ...options } = this.options;
    const training = await createTraining(blueprint, { ...options, faults: this.faults, flight: this.flight });
    try {
      const last = await resume(training, checkpoint, microBatch, { look });
      if (last) onTrace(last);
      return training;
    } catch (error) {
      void training.dispose().catch(() => {});
      throw error;
    }
  }
}
