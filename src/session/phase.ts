/**
 * The states of an open run, and all ways from one to another:
 *
 *   runs -- breaks() --> broken -- mended() --> runs;   each of them -- close() --> closed
 *
 * A broken run is being replaced while a change is under way (turns.ts). Otherwise it has ended: only Reset begins
 * again. Pure; one per run, and running.ts and recovery.ts alone move it.
 */
import type { LockstepError } from '../base/errors';

export class SessionPhase {
  private closed = false;
  private why: LockstepError | undefined;

  get is(): 'runs' | 'broken' | 'closed' {
    if (this.closed) return 'closed';
    return this.why ? 'broken' : 'runs';
  }

  /** Why the training cannot go on, until a restart or Reset has replaced it. */
  get failure(): LockstepError | undefined {
    return this.why;
  }

  /** What follows from a failure is none of its own: the first one stays. */
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
