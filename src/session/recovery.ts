/**
 * Handles a lost device or a failed rank of a run: the supervisor decides whether a new training replaces the failed
 * one. The new training is brought to the same micro-batch and plays on if the run played; otherwise the run ends at
 * its last checkpoint. Reports each step to the page. One per open run.
 */
import { asLockstepError, LockstepError } from '../base/errors';
import type { StepTrace } from '../protocol/trace';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { FAILURE_WORDS } from '../training/failures/failure-words-part';
import { isRestartable } from '../training/failures/restartable';
import type { SupervisorRecovery as Recovered, Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import type { CurrentPlayer } from './current-player';
import type { SessionPhase } from './phase';
import type { Reports } from './reports';
import type { Turns } from './training-lock';

export interface RecoveryOptions {
  readonly blueprint: Blueprint;
  readonly supervisor: Supervisor;
  readonly phase: SessionPhase;
  readonly turns: Turns;
  readonly reports: Reports;
  readonly player: CurrentPlayer;
}

export class Recovery {
  /** A training whose step Reset has ended: calls to it fail and are not repeated. */
  private ended: Training | undefined;

  constructor(private readonly options: RecoveryOptions) {}

  /** Attaches the training that runs from now on. `checkpoint`: from which it was restored, if any. */
  attach(training: Training, checkpoint: Checkpoint | undefined): void {
    void training.lost.then((error) => this.fail(training, error));
    this.options.player.take(training, checkpoint);
  }

  /** Called on failures; handles only the first of each training, and ignores failures of a replaced training. */
  fail(broken: Training, error: unknown): void {
    const { blueprint, supervisor, phase, turns, reports } = this.options;
    if (phase.is !== 'runs' || supervisor.training !== broken) return;
    const failure = phase.breaks(supervisor.failed(error, reports.finished));
    const standstill = FAILURE_WORDS.now()?.standstillAfter(blueprint, failure, reports.finished);
    reports.emit({ type: 'standstill', standstill });
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
   * Runs the task again after a restart if the device is lost meanwhile. Must not be called within a change, for which
   * it would wait.
   */
  async outlive<T>(task: () => Promise<T>): Promise<T> {
    const { supervisor, phase, turns } = this.options;
    for (;;) {
      const { training } = supervisor;
      try {
        return await task();
      } catch (error) {
        if (training === this.ended) throw error;
        // Calls to a training that has been replaced meanwhile, or is being replaced, failed with it.
        const given = supervisor.training !== training || (phase.failure !== undefined && turns.changing);
        if (!given && !isRestartable(asLockstepError(error))) throw error;
        this.fail(training, error);
        await turns.settled();
        if (phase.is !== 'runs') throw error;
      }
    }
  }

  /** Reset does not wait for a step that is stuck: the training is then replaced. */
  giveUpStep(): void {
    const { supervisor, phase, reports, player } = this.options;
    this.ended = supervisor.training;
    phase.breaks(new LockstepError('aborted', 'Reset ended a step that waited for a rank.'));
    player.silence();
    reports.emit({ type: 'standstill', standstill: undefined });
  }

  /** If the device is lost meanwhile, it is replaced after the current change, and the weights are shown then. */
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

  /** Replaces a failed training by a new one at the same micro-batch. */
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

  /** Ends the run at its last checkpoint. `again`: why it could not be restarted. */
  private giveUp(failure: LockstepError, again?: LockstepError): void {
    const { supervisor, reports, player } = this.options;
    // Running steps may still finish; they are not part of the remaining state.
    player.silence();
    const reached = reports.finished;
    const kept = player.now.checkpoint;
    reports.finished = supervisor.leftBehind(kept)?.microBatch ?? 0;
    reports.notice(supervisor.gaveUpNotice(failure, { kept, reached, again }));
    reports.state('failed', failure.message);
  }

  private async recover(failure: LockstepError): Promise<void> {
    const { supervisor, phase, reports, player } = this.options;
    // Reset or the end of the run may have come first.
    if (phase.is === 'closed' || phase.failure !== failure) return;
    const { checkpoint } = player.now;
    // The old player's later events would repeat known ones.
    player.silence();
    // After a non-finite loss the training has gone back.
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

  /** The new training has reached the old position: it plays on, waits for the user, or stays paused. */
  private async recovered(recovery: Omit<Recovered, 'outcome'>, last: StepTrace | undefined): Promise<void> {
    const { supervisor, phase, turns, reports } = this.options;
    if (phase.is === 'closed') return;
    const { plays } = turns;
    const waits = plays && supervisor.waitsAfter(recovery.failure);
    const outcome = waits ? 'waits' : plays ? 'playing' : 'paused';
    reports.emit({ type: 'standstill', standstill: undefined });
    // Shows the step that the run has reached.
    if (last) reports.emit({ type: 'trace', trace: last });
    reports.notice(supervisor.recoveredNotice({ ...recovery, outcome }));
    if (waits) turns.forget();
    await this.showWeights();
    // The device was lost again meanwhile; that is reported next.
    if (phase.failure) return;
    if (outcome === 'playing') turns.goOn();
    else reports.state('paused', waits ? 'lost-again' : recovery.failure.code);
  }
}
