/**
 * Serialises access to a run's training: changes that replace it or its state (a restart, Reset, the end) run one after
 * another; steps wait for them, and the last control message that arrives during a change is delivered afterwards.
 * Remembers what the user wants in the meantime: after a failure the run continues by itself only if it was playing.
 * One per open run.
 */
import { oneAtATime } from '../base/one-at-a-time';
import type { ControlMessage } from '../protocol/session';

export class Turns {
  private readonly inTurn = oneAtATime();
  private pending = 0;
  /** The user's last request that is still in effect. */
  private wish: ControlMessage | undefined;
  /** The last control message that arrived during a change. */
  private held: ControlMessage | undefined;

  /** `obey`: executes a control message when its turn has come. */
  constructor(private readonly obey: (message: ControlMessage) => void) {}

  /** Whether a change is running or waiting. */
  get changing(): boolean {
    return this.pending > 0;
  }

  /** Whether the run was playing and the user has not asked for anything else since. */
  get plays(): boolean {
    return this.wish !== undefined && !this.held;
  }

  /** Resolves when all changes requested so far are done. */
  settled(): Promise<void> {
    return this.inTurn(() => {});
  }

  /** Runs one change at a time, and afterwards delivers the user's request that arrived meanwhile. */
  change<T>(task: () => Promise<T>): Promise<T> {
    this.pending++;
    return this.inTurn(task).finally(() => {
      this.pending--;
      const message = this.held;
      if (this.changing || !message) return;
      this.held = undefined;
      this.control(message);
    });
  }

  control(message: ControlMessage): void {
    this.wish = message.type === 'play' ? message : undefined;
    if (this.changing) this.held = message;
    else this.obey(message);
  }

  /** Forgets the user's request, so that the run does not continue by itself. */
  forget(): void {
    this.wish = undefined;
  }

  /** Lets the run continue to play after this change, unless the user has asked for something else. */
  goOn(): void {
    this.held ??= this.wish;
  }
}
