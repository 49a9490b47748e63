/** The handle of a running operation, like c10d's Work; `asyncOp: true` returns it. */
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
    // wait() rejects with the error; without wait(), exception() returns it.
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

  /** torch's work.get_future(), here a promise. */
  getFuture(): Promise<void> {
    return this.settled;
  }
}
