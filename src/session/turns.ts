/**
 * Who may use the training of a run, and when: what replaces it or its state (a restart, Reset, the end) comes one
 * after the other; steps wait for that, and of the control messages that come meanwhile the last one is handed on
 * afterwards. Remembers what the user wants while that lasts: after a failure the run goes on by itself only if it
 * played. One per open run.
 */
import { oneAtATime } from '../base/one-at-a-time';
import type { ControlMessage } from '../protocol/session';

export class Turns {
  private readonly inTurn = oneAtATime();
  private pending = 0;
  /** What the user asked for last, while it lasts. */
  private wish: ControlMessage | undefined;
  /** The last control message that came during a change. */
  private held: ControlMessage | undefined;

  /** `obey`: a control message whose turn has come. */
  constructor(private readonly obey: (message: ControlMessage) => void) {}

  /** Something replaces the training now, or is about to. */
  get changing(): boolean {
    return this.pending > 0;
  }

  /** It played, and nobody has said anything else meanwhile. */
  get plays(): boolean {
    return this.wish !== undefined && !this.held;
  }

  /** Resolves when every change asked for until now is over. */
  settled(): Promise<void> {
    return this.inTurn(() => {});
  }

  /** One change at a time; afterwards, what the user asked for meanwhile. */
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

  /** It does not go on by itself. */
  forget(): void {
    this.wish = undefined;
  }

  /** After this change it goes on as it played, unless the user has said something else. */
  goOn(): void {
    this.held ??= this.wish;
  }
}
