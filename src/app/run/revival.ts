/**
 * A run whose worker has ended continues in a new worker, from the last state that the old one handed over; a worker
 * that ends again soon after its start is not replaced, since its successor would end the same way. Other settings are
 * opened by openings.ts. The controller makes one.
 */
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import { stepOf, stepWords } from '../../protocol/micro-batches';
import type { KeptState } from '../../protocol/session-events';
import type { Interruption } from './interruption';
import { noticeOf } from './notice-board';
import type { Openings, OpeningsOptions } from './openings';

/** A worker that lived this long did not end because of its start. */
const STEADY_MS = 5000;

type Page = Pick<OpeningsOptions, 'store' | 'board' | 'player' | 'freeRun' | 'sessions' | 'run' | 'arrival'> & {
  readonly interruption: Interruption;
};

export class Revival {
  private revivedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly page: Page,
    private readonly openings: Openings,
  ) {}

  private get app() {
    return this.page.store.getState();
  }

  /** Continues in a new worker, from the last state that the old one handed over. */
  readonly revive = (
    error: LockstepError = new LockstepError('rank-failed', 'The training worker stopped unexpectedly.'),
  ): void => {
    const { openings } = this;
    const { run, arrival } = this.page;
    const good = openings.configThatRan;
    if (!run.kept || !good) return;
    run.opening ??= this.goOnFrom(run.kept, good, error)
      .catch((reason: unknown) => openings.report(reason))
      .finally(() => {
        run.opening = undefined;
        // Other settings, or a link to another moment, were chosen meanwhile.
        if (openings.wantsOther) openings.open('Starting');
        else if (arrival.microBatch !== undefined) openings.goToLinked();
      });
  };

  /** The session's worker has ended. */
  readonly onFailure = (error: LockstepError): void => {
    const { sessions, freeRun, player, run, board, interruption } = this.page;
    sessions.current = undefined;
    freeRun.set(false);
    interruption.note();
    player.settle();
    this.app.setStandstill(undefined);
    // A worker that ends again at once would end so for ever.
    const steady = performance.now() - this.revivedMs > STEADY_MS;
    if (run.kept && this.openings.configThatRan && !run.opening && steady) {
      this.revive(error);
      return;
    }
    this.app.setState('failed', error.message);
    board.say({ ...noticeOf(error), ...(run.kept ? { id: 'worker-ended', hint: '' } : {}) });
  };

  /** Continues with the settings that ran; steps after the kept state are lost with the worker. */
  private async goOnFrom(from: KeptState, config: Config, error: LockstepError): Promise<void> {
    const { sessions, board, interruption, arrival } = this.page;
    const where = stepWords(from.microBatch, config);
    const lost = stepOf(this.app.microBatch, config) - stepOf(from.microBatch, config);
    this.app.setState('loading', `Continuing from ${where} in a new worker`);
    this.revivedMs = performance.now();
    try {
      this.app.setInfo(await sessions.open(config, this.openings.filesThatRan, from.files));
    } catch (second) {
      this.app.setState('failed', error.message);
      board.say({ ...noticeOf(second), id: 'worker-ended' });
      return;
    }
    this.app.setMicroBatch(from.microBatch);
    this.app.dismissNotice('worker-ended');
    this.app.setState('paused');
    const gone = lost > 0 ? ` The ${lost === 1 ? 'step' : `${lost} steps`} after it will run again.` : '';
    const text = `${error.message} Training continues from ${where} in a new worker.${gone}`;
    board.say({ level: 'warning', id: 'rank-failed', text, hint: '' });
    if (!this.openings.wantsOther && arrival.microBatch === undefined) interruption.goOn();
    else interruption.forget();
  }
}
