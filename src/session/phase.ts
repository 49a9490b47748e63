/**
 * The states of an open run, and all transitions:
 *
 *   runs -- breaks() --> broken -- mended() --> runs;   each of them -- close() --> closed
 *
 * A broken run is being replaced while a change is running (training-lock.ts). Otherwise it has ended, and only Reset
 * starts again. Pure; one per run; only running.ts and recovery.ts change it.
 */
import type { LockstepError } from '../base/errors';

export class SessionPhase {
  private closed = false;
  private why: LockstepError | undefined;

  get is(): 'runs' | 'broken' | 'closed' {
    if (this.closed) return 'closed';
    return this.why ? 'broken' : 'runs';
  }

  /** Why the training cannot continue; undefined again after a restart or Reset. */
  get failure(): LockstepError | undefined {
    return this.why;
  }

  /** Consequences of a failure do not count as failures: the first one stays. */
  breaks(failure: LockstepError): LockstepError {
    this.why ??= failure;
    return this.why;
  }

  mended(): void {
    this.why = undefined;
  }

  close(): void {
    this.closed = true;
  }
}
