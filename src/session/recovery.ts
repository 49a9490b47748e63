/**
 * What becomes of a run whose device is lost or one of whose ranks fails: the supervisor decides whether a new training
 * takes the place of the failed one; that one comes to the same micro-batch and plays on if the run played, or the run
 * ends at its last checkpoint. Says what happens at each step. One per open run.
 */
import { asLockstepError, type LockstepError } from '../base/errors';
import type { StepTrace } from '../protocol/trace';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { isRestartable } from '../training/failures/restartable';
import { standstillAfter } from '../training/failures/standstill';
import type { SupervisorRecovery as Recovered, Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import type { CurrentPlayer } from './current-player';
import type { SessionPhase } from './phase';
import type { Reports } from './reports';
import type { Turns } from './turns';

export interface RecoveryOptions {
  readonly blueprint: Blueprint;
  readonly supervisor: Supervisor;
  readonly phase: SessionPhase;
  readonly turns: Turns;
  readonly reports: Reports;
  readonly player: CurrentPlayer;
}

export class Recovery {
  constructor(private readonly options: RecoveryOptions) {}

  /** A training that runs from now on. `checkpoint`: what it was restored from, if anything. */
  attach(training: Training, checkpoint: Checkpoint | undefined): void {
    void training.lost.then((error) => this.fail(training, error));
    this.options.player.take(training, checkpoint);
  }

  /**
   * Once for each training: what follows from a failure, and a failure of a training that has been replaced, is no
   * news.
   */
  fail(broken: Training, error: unknown): void {
    const { blueprint, supervisor, phase, turns, reports } = this.options;
    if (phase.is !== 'runs' || supervisor.training !== broken) return;
    const failure = phase.breaks(supervisor.failed(error, reports.finished));
    reports.emit({ type: 'standstill', standstill: standstillAfter(blueprint, failure, reports.finished) });
    if (!supervisor.restartsAfter(failure, reports.finished)) {
      this.giveUp(failure);
      return;
    }
    reports.state('restarting', failure.message);
    const notice = supervisor.restartingNotice(failure);
    if (notice) reports.notice(notice);
    void turns.change(() => this.recover(failure));
  }

  /**
   * Does it again after a restart where the device is lost meanwhile. Not for use within a change, which it would wait
   * for.
   */
  async outlive<T>(task: () => Promise<T>): Promise<T> {
    const { supervisor, phase, turns } = this.options;
    for (;;) {
      const { training } = supervisor;
      try {
        return await task();
      } catch (error) {
        // What was under way on a training that has been replaced meanwhile, or is being replaced, was given up with
        // it.
        const given = supervisor.training !== training || (phase.failure !== undefined && turns.changing);
        if (!given && !isRestartable(asLockstepError(error))) throw error;
        this.fail(training, error);
        await turns.settled();
        if (phase.is !== 'runs') throw error;
      }
    }
  }

  /** A device that is lost meanwhile is replaced after what is being changed now, and its weights are shown then. */
  async showWeights(): Promise<void> {
    const { supervisor, reports } = this.options;
    const { training } = supervisor;
    try {
      reports.emit({ type: 'snapshot', snapshot: reports.snapshots.take(await training.weights()) });
    } catch (error) {
      if (supervisor.training === training && !isRestartable(asLockstepError(error))) throw error;
      this.fail(training, error);
    }
  }

  /** A new training in place of one that has failed, before the same micro-batch. */
  async replace(checkpoint: Checkpoint | undefined, microBatch: number): Promise<StepTrace | undefined> {
    const { supervisor, phase, reports } = this.options;
    const broken = supervisor.training;
    const last = await supervisor.replace({ checkpoint, microBatch, look: true });
    const next = supervisor.training;
    phase.mended();
    reports.finished = microBatch;
    this.attach(next, checkpoint);
    reports.emit({ type: 'device', device: next.device });
    for (const notice of next.notices) if (!broken.notices.some(({ id }) => id === notice.id)) reports.notice(notice);
    return last;
  }

  /** What is left is the last checkpoint: the run is there again. `again`: why it could not be started again. */
  private giveUp(failure: LockstepError, again?: LockstepError): void {
    const { supervisor, reports, player } = this.options;
    // Steps that were under way may still come to their end; they are not what is left.
    player.silence();
    const reached = reports.finished;
    const kept = player.now.checkpoint;
    reports.finished = supervisor.leftBehind(kept)?.microBatch ?? 0;
    reports.notice(supervisor.gaveUpNotice(failure, { kept, reached, again }));
    reports.state('failed', failure.message);
  }

  private async recover(failure: LockstepError): Promise<void> {
    const { supervisor, phase, reports, player } = this.options;
    // Reset may have come first, and the end too.
    if (phase.is === 'closed' || phase.failure !== failure) return;
    const { checkpoint } = player.now;
    // What it may still have to say would be said again.
    player.silence();
    // After a loss that is not finite the training has gone back.
    const microBatch = Math.min(reports.finished, supervisor.training.microBatch);
    let last: StepTrace | undefined;
    try {
      last = await this.replace(checkpoint, microBatch);
    } catch (second) {
      const again = supervisor.explained(second, microBatch);
      if (supervisor.restartsAfter(again, microBatch)) return this.recover(failure);
      this.giveUp(failure, again);
      return;
    }
    await this.recovered({ failure, checkpoint, microBatch }, last);
  }

  /** The new training is where the old one was: it plays on, waits for the user, or is paused as it was. */
  private async recovered(recovery: Omit<Recovered, 'outcome'>, last: StepTrace | undefined): Promise<void> {
    const { supervisor, phase, turns, reports } = this.options;
    if (phase.is === 'closed') return;
    const { plays } = turns;
    const waits = plays && supervisor.waitsAfter(recovery.failure);
    const outcome = waits ? 'waits' : plays ? 'playing' : 'paused';
    reports.emit({ type: 'standstill', standstill: undefined });
    // What is shown is of the step where the run is.
    if (last) reports.emit({ type: 'trace', trace: last });
    reports.notice(supervisor.recoveredNotice({ ...recovery, outcome }));
    if (waits) turns.forget();
    await this.showWeights();
    // Lost again meanwhile: what becomes of that is said next.
    if (phase.failure) return;
    if (outcome === 'playing') turns.goOn();
    else reports.state('paused', waits ? 'lost-again' : recovery.failure.code);
  }
}
