/**
 * What an open run says to the page, and where that says the run is. One per run: every part of it reports here, and
 * after close() nothing is posted.
 */
import type { Snapshots } from '../inference/snapshot';
import type { Notice } from '../protocol/notice';
import type { SessionEvent } from '../protocol/session-events';
import type { StepTrace } from '../protocol/trace';

export class Reports {
  /**
   * Micro-batches that the run has behind it: those whose losses have been reported. Where it is, and where a restart
   * goes on.
   */
  finished = 0;
  lastTrace: StepTrace | undefined;
  private closed = false;

  constructor(
    private readonly post: (event: SessionEvent) => void,
    readonly snapshots: Snapshots,
  ) {}

  emit(event: SessionEvent): void {
    if (!this.closed) this.post(event);
  }

  /** An event of the player. */
  played(event: SessionEvent): void {
    if (event.type === 'trace') this.lastTrace = event.trace;
    if (event.type === 'losses') this.finished = (event.records.at(-1)?.microBatch ?? this.finished - 1) + 1;
    this.emit(event);
  }

  /** With where it is. */
  state(state: Extract<SessionEvent, { type: 'state' }>['state'], reason: string): void {
    this.emit({ type: 'state', state, reason, microBatch: this.finished });
  }

  notice(notice: Notice): void {
    this.emit({ type: 'notice', notice });
  }

  close(): void {
    this.closed = true;
  }
}
