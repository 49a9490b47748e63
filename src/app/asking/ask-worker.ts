/**
 * The page's side of questions to a worker (worker-talk.ts). Each asker has its own worker, which ends with the asker.
 */
import { fromWire, LockstepError } from '../../base/errors';
import type { Answered, AskedQuestion, Questions } from './worker-talk';

export interface Asker<Q extends Questions> {
  /** Rejects with the worker's error, when the worker crashes, and with 'aborted' after end(). */
  ask<K extends keyof Q & string>(
    name: K,
    question: Q[K]['question'],
    onProgress?: (progress: Q[K]['progress']) => void,
  ): Promise<Q[K]['answer']>;
  /** Ends the worker at once, whatever it is doing. */
  end(): void;
}

interface Open {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: LockstepError) => void;
  readonly onProgress: ((progress: unknown) => void) | undefined;
}

/** `what`: 'The reader of recordings'; `hint`: what to do when it breaks down. */
export function askWorker<Q extends Questions>(
  worker: Worker,
  { what, hint }: { readonly what: string; readonly hint: string },
): Asker<Q> {
  const open = new Map<number, Open>();
  let asked = 0;
  let ended: LockstepError | undefined;
  const stop = (error: LockstepError): void => {
    ended ??= error;
    worker.terminate();
    for (const { reject } of open.values()) reject(error);
    open.clear();
  };
  worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    const own = open.get(data.id);
    if (data.type === 'progress') return own?.onProgress?.(data.progress);
    open.delete(data.id);
    if (data.type === 'answer') own?.resolve(data.answer);
    else own?.reject(fromWire(data.error));
  });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    stop(new LockstepError('not-loaded', `${what} ended.`, hint));
  });
  worker.addEventListener('messageerror', () =>
    stop(new LockstepError('not-loaded', `${what} returned more data than this browser can handle.`, hint)),
  );
  return {
    ask: (name, question, onProgress) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        const id = asked++;
        open.set(id, { resolve, reject, onProgress });
        const message: AskedQuestion<Q> = { id, name, question };
        worker.postMessage(message);
      }),
    end: () => stop(new LockstepError('aborted', `${what} was stopped.`)),
  };
}
