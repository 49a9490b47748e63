/**
 * Guards the calls of one WebGPU executor: after dispose() it refuses every call, and an error that the device has
 * reported is thrown by the next call. Made by webgpu-executor.ts.
 */
import { disposedError } from '../disposed-error';
import type { OpenedDevice } from './device';

export interface CallGuard {
  check(): void;
  /** If the device is lost, reports the loss instead of its symptoms, such as rejected maps. */
  guarded<T>(work: () => Promise<T> | T): Promise<T>;
  /** Calls `free`, the first time only. */
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
