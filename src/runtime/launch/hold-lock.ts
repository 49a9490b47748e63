/**
 * Lets others notice that a worker has ended: the worker holds a Web Lock while it lives. Used by the ranks' workers
 * (lifeline.ts waits for the lock) and the session's worker.
 */

/**
 * The browser passes the lock on when this worker ends, for whatever reason. Resolves when the lock is held, or cannot
 * be.
 */
export function holdLock(name: string): Promise<void> {
  if (typeof navigator === 'undefined' || !('locks' in navigator)) return Promise.resolve();
  return new Promise((resolve) => {
    const held = () => {
      resolve();
      return new Promise(() => {});
    };
    navigator.locks.request(name, held).catch(() => resolve());
  });
}
