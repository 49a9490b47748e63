/**
 * Sends an open run's events to the page, and keeps the position that they imply. One per run: all its parts report
 * here; after close() it posts nothing.
 */
import type { Snapshots } from '../inference/snapshot';
import type { Notice } from '../protocol/notice';
import type { SessionEvent } from '../protocol/session-events';
import type { StepTrace } from '../protocol/trace';

export class Reports {
  /**
   * Number of completed micro-batches, whose losses have been reported: the position of the run, from which a restart
   * continues.
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

  /** Posts a state with the run's position. */
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
