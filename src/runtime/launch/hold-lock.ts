/**
 * How a worker lets others know that it has ended: it holds a Web Lock while it lives. The ranks' workers do
 * (lifeline.ts waits for it), and the session's.
 */

/**
 * The browser gives it to the next in line when this worker has ended, however that came about. Resolves when it is
 * held, or cannot be.
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
