/**
 * Unhandled rejections in a worker are bugs that would stay hidden: browsers report a worker's errors to its creator,
 * but not its rejections. The worker's entry sends rejections to the worker's creator, which receives them here and
 * shows them to the user.
 */
import { fromWire, isWireError, type LockstepError, toWire } from './errors';

interface StrayRejection {
  readonly type: 'lockstep:stray-rejection';
  readonly error: unknown;
}

const isStray = (data: unknown): data is StrayRejection =>
  typeof data === 'object' && data !== null && Reflect.get(data, 'type') === 'lockstep:stray-rejection';

/** The members of a worker's global scope that are used here. */
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
