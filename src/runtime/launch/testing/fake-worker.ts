/**
 * Stands in for the browser's Worker under Node: a real rank behind real ports and comlink, in this thread. A test can
 * make it die or fall silent, which no worker does on command.
 */
import * as Comlink from 'comlink';
import { createRank, type RankApi } from '../rank';

export class FakeWorker extends EventTarget {
  static readonly made: FakeWorker[] = [];
  readonly name: string;
  terminated = false;
  /** Its error has been taken care of, and goes no further. */
  handled = false;
  /** Swallows what is posted to it. */
  silent = false;
  private readonly channel = new MessageChannel();
  private readonly rank: RankApi;

  /** `mayBlock` as in createRank(): only if no other fake worker shares this thread. */
  constructor(_url: URL, options?: WorkerOptions, mayBlock = false) {
    super();
    this.rank = createRank(() => this.end(), { mayBlock });
    this.name = options?.name ?? '';
    const { port1, port2 } = this.channel;
    port1.onmessage = ({ data, ports }: MessageEvent) => {
      if (!this.silent) this.dispatchEvent(new MessageEvent('message', { data, ports: [...ports] }));
    };
    Comlink.expose(this.rank, port2);
    FakeWorker.made.push(this);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    if (!this.silent && !this.terminated) this.channel.port1.postMessage(message, transfer);
  }

  /** As a worker whose script throws, or that the browser ends for want of memory. */
  die(message: string): void {
    this.silent = true;
    this.handled = !this.dispatchEvent(Object.assign(new Event('error', { cancelable: true }), { message }));
  }

  /** As a worker that closes itself: no message says so, but its ports are closed. */
  end(): void {
    this.silent = true;
    this.rank.dispose().catch(() => {});
  }

  terminate(): void {
    if (!this.silent) this.end();
    this.terminated = true;
    this.channel.port1.close();
    this.channel.port2.close();
  }
}
