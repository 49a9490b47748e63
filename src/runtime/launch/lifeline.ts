/**
 * How a world hears at once that a rank's worker has ended by itself, which no event of the Worker tells: browsers give
 * on a Web Lock that the worker held (after 1 to 4 ms in Chromium); Node closes the port that led to it.
 * worker-world.ts holds one per rank; the rank's end of both is in rank.ts.
 */
export class Lifeline {
  /** The worker holds it. */
  readonly lock = `lockstep rank ${crypto.randomUUID()}`;
  /** Goes to the worker. */
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

  /** From now on: the worker holds the lock and has the port. */
  watch(): void {
    this.own.addEventListener('close', this.end);
    this.own.start();
    if (typeof navigator === 'undefined' || !('locks' in navigator)) return;
    const { signal } = this.waiting;
    navigator.locks.request(this.lock, { signal }, () => this.end()).catch(() => {});
  }

  /** What ends now is meant to. */
  expectEnd(): void {
    this.own.removeEventListener('close', this.end);
    this.own.close();
    this.waiting.abort();
  }
}
