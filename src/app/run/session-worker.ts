/**
 * The session's worker, started: by early.ts before the rest of the page is there, and by session-client.ts wherever
 * another one is needed. What went wrong before somebody listened is kept for who does.
 */
import { underPolicy } from '../../base/policy-worker';

export interface StartedWorker {
  readonly worker: Worker;
  /** Why it did not start, where that is known by now. */
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

/** The one that early.ts has started, for who asks first; others get one of their own. */
export function takeWorker(page: Pick<Window, 'lockstepEarly'>): StartedWorker {
  const early = page.lockstepEarly;
  page.lockstepEarly = undefined;
  return early ?? startWorker();
}
