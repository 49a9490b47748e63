/**
 * Tells a world at once that a rank's worker has ended by itself, for which Worker has no event: browsers pass on a Web
 * Lock that the worker held (after 1 to 4 ms in Chromium); Node closes the port to the worker. worker-world.ts has one
 * Lifeline per rank; the rank's side is in rank.ts.
 */
export class Lifeline {
  /** Name of the lock that the worker holds. */
  readonly lock = `lockstep rank ${crypto.randomUUID()}`;
  /** The worker's end of the channel. */
  readonly port: MessagePort;
  private readonly own: MessagePort;
  private readonly waiting = new AbortController();
  private end: () => void = () => {};
  private readonly ended: Promise<void>;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.own = port1;
    this.port = port2;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  untilEnd(): Promise<void> {
    return this.ended;
  }

  /** Starts watching. The worker must already hold the lock and have the port. */
  watch(): void {
    this.own.addEventListener('close', this.end);
    this.own.start();
    if (typeof navigator === 'undefined' || !('locks' in navigator)) return;
    const { signal } = this.waiting;
    navigator.locks.request(this.lock, { signal }, () => this.end()).catch(() => {});
  }

  /** The end of the worker is now intended. */
  expectEnd(): void {
    this.own.removeEventListener('close', this.end);
    this.own.close();
    this.waiting.abort();
  }
}
