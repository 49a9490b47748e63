/**
 * What stands before the calls of one WebGPU executor: after dispose() every call is refused, and an error that the
 * device has reported is thrown at the next call. Made by webgpu-executor.ts.
 */
import { disposedError } from '../disposed-error';
import type { OpenedDevice } from './device';

export interface CallGuard {
  check(): void;
  /** Errors of a loss are rejected maps and the like: say what happened instead. */
  guarded<T>(work: () => Promise<T> | T): Promise<T>;
  /** Calls `free`, unless this was called before. */
  close(free: () => void): void;
}

export function createCallGuard(opened: OpenedDevice): CallGuard {
  let disposed = false;
  const check = () => {
    if (disposed) throw disposedError();
    const error = opened.takeError();
    if (error) throw error;
  };
  return {
    check,
    async guarded(work) {
      check();
      try {
        const result = await work();
        check();
        return result;
      } catch (error) {
        throw disposed ? disposedError() : await opened.explain(error);
      }
    },
    close(free) {
      if (!disposed) free();
      disposed = true;
    },
  };
}
