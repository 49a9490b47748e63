/** The handle of an operation under way, as c10d's Work: what `asyncOp: true` gives. */
import type { LockstepError } from '../base/errors';

export class Work {
  private state: 'running' | 'done' | 'failed' = 'running';
  private error: LockstepError | undefined;
  private readonly settled: Promise<void>;

  constructor(task: Promise<void>) {
    this.settled = task.then(
      () => {
        this.state = 'done';
      },
      (error: LockstepError) => {
        this.state = 'failed';
        this.error = error;
        throw error;
      },
    );
    // Whoever waits hears of it; whoever does not finds it in exception().
    this.settled.catch(() => {});
  }

  /** Resolves when the tensors hold the result; rejects with what went wrong. */
  wait(): Promise<void> {
    return this.settled;
  }

  isCompleted(): boolean {
    return this.state !== 'running';
  }

  isSuccess(): boolean {
    return this.state === 'done';
  }

  exception(): LockstepError | undefined {
    return this.error;
  }

  /** torch's work.get_future(): here a promise is one. */
  getFuture(): Promise<void> {
    return this.settled;
  }
}
