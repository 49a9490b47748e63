/**
 * A promise that rejects in a worker and that nobody awaits is a bug that nobody would hear of: browsers tell a
 * worker's creator of errors, not of rejections. The worker's entry sends them to its creator, who hears them here and
 * says so to the user.
 */
import { fromWire, isWireError, type LockstepError, toWire } from './errors';

interface StrayRejection {
  readonly type: 'lockstep:stray-rejection';
  readonly error: unknown;
}

const isStray = (data: unknown): data is StrayRejection =>
  typeof data === 'object' && data !== null && Reflect.get(data, 'type') === 'lockstep:stray-rejection';

/** What is used of a worker's global scope. */
interface WorkerScope {
  addEventListener(type: 'unhandledrejection', listener: (event: PromiseRejectionEvent) => void): void;
  postMessage(message: unknown): void;
}

/** In the worker. */
export function sendStrayRejections(scope: WorkerScope): void {
  scope.addEventListener('unhandledrejection', ({ reason }) => {
    const stray: StrayRejection = {
      type: 'lockstep:stray-rejection',
      error: isWireError(reason) ? reason : toWire(reason),
    };
    scope.postMessage(stray);
  });
}

/** In the worker's creator. */
export function hearStrayRejections(worker: EventTarget, hear: (error: LockstepError) => void): void {
  worker.addEventListener('message', (event) => {
    const data: unknown = event instanceof MessageEvent ? event.data : undefined;
    if (isStray(data) && isWireError(data.error)) hear(fromWire(data.error));
  });
}
