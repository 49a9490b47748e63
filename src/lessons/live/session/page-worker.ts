/**
 * The one worker of a page of lessons, and whose session is open in it: one at a time. Whoever takes it over lets the
 * session before it save its state first. shared-session.ts makes one, the sessions of figures use it.
 */
import type { StartSession } from '../../../app/run/live-session';
import type { SessionClient, SessionListener } from '../../../app/run/session-client';
import type { SessionEvent } from '../../../protocol/session-events';

/** A session that can be open in the worker. */
export interface Holder {
  readonly listener: SessionListener;
  hear(event: SessionEvent): void;
  /** Its worker has ended. */
  fail(error: Parameters<SessionListener['onFailure']>[0]): void;
  /** Comes to rest and keeps its state; false where it does not come to rest. */
  sleep(client: SessionClient): Promise<boolean>;
}

interface Running {
  readonly client: SessionClient;
  /** Whose session is open, or being opened. */
  holder: Holder | undefined;
}

export class PageWorker {
  private running: Running | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly start: StartSession) {}

  /** The client of the worker, which is started where there is none. */
  get now(): Running {
    if (this.running) return this.running;
    const made: Running = {
      holder: undefined,
      client: this.start({
        onEvent: (event) => made.holder?.hear(event),
        onStray: (error) => made.holder?.listener.onStray(error),
        onFailure: (error) => {
          if (this.running === made) this.running = undefined;
          made.holder?.fail(error);
        },
      }),
    };
    this.running = made;
    return made;
  }

  isHeldBy(session: Holder): boolean {
    return this.running?.holder === session;
  }

  /** Changes of the holder run one after another. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    const next = this.turn.then(task, task);
    this.turn = next.catch(() => undefined);
    return next;
  }

  /** The holder saves its state, or its worker is ended; then `to` has the worker. */
  async pass(to: Holder): Promise<SessionClient> {
    const { holder } = this.now;
    if (holder !== to && holder && !(await holder.sleep(this.now.client))) this.end();
    const { now } = this;
    now.holder = to;
    return now.client;
  }

  /** What the worker still says of a session after that is heard by nobody. */
  end(): void {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    running.holder = undefined;
    running.client.end();
  }
}
