/**
 * The one worker of a page of lessons, in which one session at a time is open. A figure that takes the worker over
 * first lets the previous session save its state. shared-session.ts makes a PageWorker, the sessions of figures use it.
 */
import type { StartSession } from '../../../app/run/live-session';
import type { SessionClient, SessionListener } from '../../../app/run/session-client';
import type { SessionEvent } from '../../../protocol/session-events';

/** A session that can be open in the worker. */
export interface Holder {
  readonly listener: SessionListener;
  hear(event: SessionEvent): void;
  /** Called when the worker has ended. */
  fail(error: Parameters<SessionListener['onFailure']>[0]): void;
  /** Stops and saves its state; false if it does not stop. */
  sleep(client: SessionClient): Promise<boolean>;
}

interface Running {
  readonly client: SessionClient;
  /** The figure whose session is open or being opened. */
  holder: Holder | undefined;
}

export class PageWorker {
  private running: Running | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly start: StartSession) {}

  /** The client of the worker; starts a worker if none runs. */
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

  /** Lets the holder save its state, or ends the worker; then `to` has the worker. */
  async pass(to: Holder): Promise<SessionClient> {
    const { holder } = this.now;
    if (holder !== to && holder && !(await holder.sleep(this.now.client))) this.end();
    const { now } = this;
    now.holder = to;
    return now.client;
  }

  /** Ends the worker; events that it still sends are ignored. */
  end(): void {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    running.holder = undefined;
    running.client.end();
  }
}
