/**
 * The session worker of the run on the page, started when it is first needed; and, if none is running, a worker for
 * calls that need no open run. Calls without a session reject with an error in words. The controller makes one.
 */
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import type { CheckpointFiles, Files } from '../../protocol/session';
import type { SessionInfo } from '../../protocol/session-info';
import type { SessionClient, SessionListener } from './session-client';

export type StartSession = (listener: SessionListener) => SessionClient;

export class LiveSession {
  /** The session of the run, while its worker lives. */
  current: SessionClient | undefined;
  private separate: SessionClient | undefined;

  constructor(
    private readonly startSession: StartSession,
    private readonly listener: SessionListener,
    /** A run is open and paused: a "play" sent while it was opening was lost. */
    private readonly onOpen: () => void,
  ) {}

  /** The session of the run; starts a worker if none runs. */
  started(): SessionClient {
    this.current ??= this.startSession(this.listener);
    return this.current;
  }

  /** Opens a run in the session of the run. */
  async open(config: Config, files: Files, from?: CheckpointFiles): Promise<SessionInfo> {
    const info = await this.started().open(config, files, from);
    this.onOpen();
    return info;
  }

  live(): SessionClient {
    if (!this.current) throw new LockstepError('rank-failed', 'No session is running.', 'Restart the session.');
    return this.current;
  }

  /** The session for calls that need no open run: the run's, or a separate one. */
  forCalls(): SessionClient {
    if (this.current) return this.current;
    this.separate ??= this.apart(() => {
      this.separate = undefined;
    });
    return this.separate;
  }

  /** A separate session, whose events are ignored. */
  apart(onFailure: () => void = () => undefined): SessionClient {
    return this.startSession({ onEvent: () => undefined, onFailure, onStray: this.listener.onStray });
  }

  end(): void {
    this.current?.end();
    this.current = undefined;
  }
}
