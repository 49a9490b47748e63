/**
 * Starts the session's worker: early.ts does so before the rest of the page has loaded, and session-client.ts when it
 * needs another. An early error is kept until someone listens.
 */
import { underPolicy } from '../../base/policy-worker';

export interface StartedWorker {
  readonly worker: Worker;
  /** The error with which it failed to start, if known by now. */
  failed(): ErrorEvent | undefined;
}

declare global {
  interface Window {
    /** The worker that early.ts has started, until the first session takes it. */
    lockstepEarly?: StartedWorker | undefined;
  }
}

export function startWorker(): StartedWorker {
  let failure: ErrorEvent | undefined;
  const worker = underPolicy(
    (Worker) =>
      new Worker(new URL('../../session/worker.ts', import.meta.url), { type: 'module', name: 'lockstep-session' }),
  );
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    failure ??= event;
  });
  return { worker, failed: () => failure };
}

/** The first caller gets the worker that early.ts has started; later callers get a new one. */
export function takeWorker(page: Pick<Window, 'lockstepEarly'>): StartedWorker {
  const early = page.lockstepEarly;
  page.lockstepEarly = undefined;
  return early ?? startWorker();
}
