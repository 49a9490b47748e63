/**
 * Watches a worker: if it ends, sends unreadable answers or falls silent, the page gets a typed error, even while no
 * call is under way, and no promise stays pending. It uses two calls of the worker, ping and holdLock;
 * session-client.ts, which calls this module, makes all others.
 */
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import { hearStrayRejections } from '../../base/stray-rejections';
import type { SessionApi } from '../../protocol/session';

/** The interval of pings, and how many pings may stay unanswered: a step may take long. */
const ASK_MS = 5_000;
const UNANSWERED = 18;

const RESTART_HINT = 'Restart the session; it begins again from the same seed.';

function typed(error: unknown): LockstepError {
  if (error instanceof LockstepError) return error;
  if (isWireError(error)) return fromWire(error);
  return new LockstepError('internal', error instanceof Error ? error.message : String(error), RESTART_HINT);
}

interface Watched {
  readonly worker: Worker;
  readonly api: { readonly [K in 'ping' | 'holdLock']: SessionApi[K] };
  /** The error with which the worker failed before it was watched. */
  readonly failed: ErrorEvent | undefined;
  /** The worker is gone. */
  onFailure(error: LockstepError): void;
  /** An error in the worker outside all calls; the worker continues. */
  onStray(error: LockstepError): void;
  /** The worker is over, for any reason; called before pending calls reject. */
  onEnd(): void;
}

export interface SupervisedWorker {
  /** Comlink's own promises never settle when the worker dies; these do, and reject with a LockstepError. */
  call<T>(start: () => Promise<T>): Promise<T>;
  /** Notes that the worker has sent something. */
  heard(): void;
  /** Declares the worker broken and tells the listeners. */
  fail(message: string): void;
  /** Ends the worker; calls under way, and later ones, reject with this error. */
  end(error: LockstepError): void;
}

export function superviseWorker({ worker, api, failed, onFailure, onStray, onEnd }: Watched): SupervisedWorker {
  let failure: LockstepError | undefined;
  /**
   * Unanswered pings since the worker's last message; a count, not a time, so that sleep of the machine is not silence.
   */
  let unanswered = 0;
  const pending = new Set<(error: LockstepError) => void>();
  const ended = new AbortController();

  const heard = () => {
    unanswered = 0;
  };
  const end = (error: LockstepError) => {
    if (failure) return;
    failure = error;
    clearInterval(asking);
    ended.abort();
    worker.terminate();
    onEnd();
    for (const reject of [...pending]) reject(error);
  };
  const fail = (message: string, code: 'rank-failed' | 'not-loaded' = 'rank-failed') => {
    if (failure) return;
    const error = new LockstepError(code, message, RESTART_HINT);
    end(error);
    onFailure(error);
  };
  const asking = setInterval(() => {
    unanswered++;
    if (unanswered > UNANSWERED)
      fail(`The training worker has not answered for ${(UNANSWERED * ASK_MS) / 1000} seconds.`);
    else api.ping().then(heard, () => undefined);
  }, ASK_MS);
  watchLife(api, ended.signal, () => fail('The training worker stopped unexpectedly.')).catch(() => undefined);
  hearErrors(worker, failed, fail);
  hearStrayRejections(worker, onStray);
  return {
    async call(start) {
      if (failure) throw failure;
      let reject: (error: LockstepError) => void = () => undefined;
      const died = new Promise<never>((_, no) => {
        reject = no;
      });
      pending.add(reject);
      try {
        return await Promise.race([start(), died]);
      } catch (error) {
        throw typed(error);
      } finally {
        pending.delete(reject);
        heard();
      }
    },
    heard,
    fail: (message) => fail(message),
    end,
  };
}

/** A worker that ends by itself sends no event, but the browser releases the lock that it held. */
async function watchLife(api: Watched['api'], signal: AbortSignal, onEnd: () => void): Promise<void> {
  if (!('locks' in navigator)) return;
  const life = `lockstep session ${crypto.randomUUID()}`;
  await api.holdLock(life);
  await navigator.locks.request(life, { signal }, onEnd);
}

function hearErrors(
  worker: Worker,
  failed: ErrorEvent | undefined,
  fail: (message: string, code?: 'not-loaded') => void,
): void {
  const broke = (event: ErrorEvent) => {
    event.preventDefault();
    // A script that cannot be fetched is an event without a message.
    if (event.message) fail(`The training worker stopped: ${event.message}.`);
    else fail('The training worker could not be fetched.', 'not-loaded');
  };
  worker.addEventListener('error', broke);
  // Later, so that the caller already has the client.
  if (failed) queueMicrotask(() => broke(failed));
  worker.addEventListener('messageerror', () => fail('The training worker sent a message that could not be read.'));
}
