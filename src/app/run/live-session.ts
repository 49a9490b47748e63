/**
 * The session worker of the run on the page, started when it is first needed; and the one of the collectives lab where
 * no run is open. Who asks a session that is not there gets an error in words. The controller makes one.
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
  private ofLab: SessionClient | undefined;

  constructor(
    private readonly startSession: StartSession,
    private readonly listener: SessionListener,
    /** A run is open, and rests: a "play" that was sent while it opened has reached nobody. */
    private readonly onOpen: () => void,
  ) {}

  /** The session of the run; a new worker where there is none. */
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

  /** Where the lab computes: in the run's session, or in one of its own. */
  forLab(): SessionClient {
    if (this.current) return this.current;
    this.ofLab ??= this.apart(() => {
      this.ofLab = undefined;
    });
    return this.ofLab;
  }

  /** A session of its own, whose events nobody shows. */
  apart(onFailure: () => void = () => undefined): SessionClient {
    return this.startSession({ onEvent: () => undefined, onFailure, onStray: this.listener.onStray });
  }

  end(): void {
    this.current?.end();
    this.current = undefined;
  }
}
