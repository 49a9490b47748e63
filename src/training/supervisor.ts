/**
 * Keeps a run alive: holds its training, and where a device is lost or a rank fails, decides by the restart policy
 * whether a new training takes its place, opens that one and brings it to the same micro-batch. One per run; the page's
 * session (recovery.ts) and headless runs (run.ts) have the same. It sets no pace and says nothing to the user: what
 * happened is returned, in the words of recovery-notices.ts.
 */
import { asLockstepError, type LockstepError } from '../base/errors';
import type { Notice } from '../protocol/notice';
import type { StepTrace } from '../protocol/trace';
import type { Blueprint } from './blueprint';
import type { Checkpoint } from './checkpoint/checkpoint';
import { resume } from './checkpoint/resume';
import { createTraining } from './create-training';
import type { DeviceKeeper } from './device-keeper';
import { explainFailure } from './failures/failure-words';
import { FaultPlan } from './failures/fault-plan';
import { FlightLog } from './failures/flight-log';
import { gaveUpNotice, recoveredNotice, restartingNotice } from './failures/recovery-notices';
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
  /** What the ranks begin with; undefined: the start. */
  readonly checkpoint: Checkpoint | undefined;
  /** Where the run was: the steps since the checkpoint run once more. */
  readonly microBatch: number;
  /** The last of them is traced, for whoever shows where the run is. */
  readonly look?: boolean;
}

export interface SupervisorRecovery extends Replacement {
  readonly failure: LockstepError;
  /** playing: it goes on by itself. waits: it would, but devices are lost again and again. paused: it did not play. */
  readonly outcome: 'playing' | 'waits' | 'paused';
}

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

  /** `from`: where another session was that has ended by itself. */
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

  /** How often all ranks have been started again because one of them failed. */
  get restarts(): number {
    return this.policy.restarts;
  }

  /** The error in the run's words, noted in the flight recorder. `finished`: micro-batches that are over. */
  failed(error: unknown, finished: number): LockstepError {
    const failure = this.explained(error, finished);
    this.flight.failed(failure.details);
    return failure;
  }

  explained(error: unknown, finished: number): LockstepError {
    return explainFailure(asLockstepError(error), this.options.blueprint, finished);
  }

  /** Whether a new training is to take the place of the failed one; counts it. */
  restartsAfter(failure: LockstepError, finished: number): boolean {
    const restarts = this.policy.restartsAfter(failure, finished);
    if (restarts) this.faults.replan(failure);
    return restarts;
  }

  /** A new training in place of one that has failed; the old one is let go. */
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

  /** Said at once; what became of it takes its place. Of a lost device there is nothing to say before. */
  restartingNotice(failure: LockstepError): Notice | undefined {
    return restartingNotice(failure, this.count);
  }

  recoveredNotice({ failure, checkpoint, microBatch, outcome }: SupervisorRecovery): Notice {
    const { losses } = this.policy;
    const { adapter } = this.training.device;
    return recoveredNotice({ failure, from: checkpoint, microBatch, outcome, losses, adapter, ...this.count });
  }

  /** `kept`: the newest checkpoint of the run. `again`: why it could not be started again. */
  gaveUpNotice(
    failure: LockstepError,
    { kept, reached, again }: { kept: Checkpoint | undefined; reached: number; again?: LockstepError | undefined },
  ): Notice {
    const left = this.leftBehind(kept);
    return gaveUpNotice({
      failure,
      again,
      usedUp: isRestartable(again ?? failure),
      config: this.options.blueprint.config,
      reached,
      left: left?.microBatch ?? 0,
      hasCheckpoint: left !== undefined,
    });
  }

  /**
   * Devices are lost in such close succession that what runs may be the cause: the user should say whether to go on.
   */
  waitsAfter(failure: LockstepError): boolean {
    return !isOfRank(failure) && this.policy.waits;
  }

  /** What is left of a run that cannot go on; undefined: the start. */
  leftBehind(kept: Checkpoint | undefined): Checkpoint | undefined {
    return kept ?? this.options.blueprint.resume?.checkpoint;
  }

  weightsLeft(kept: Checkpoint | undefined): Weights {
    const { blueprint } = this.options;
    const left = this.leftBehind(kept);
    return left ? weightsIn(left, blueprint) : startWeights(blueprint);
  }

  /** A new start: nothing has failed and nothing is planned. */
  clear(): void {
    this.policy.clear();
    this.faults.clear();
    this.flight.clear();
  }

  private get count() {
    return { restarts: this.policy.restarts, config: this.options.blueprint.config };
  }

  /** A training that has come to where the run was. */
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
