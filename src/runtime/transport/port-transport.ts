/**
 * The transport between ranks that share no memory: one MessagePort per pair of devices, distributed once at launch.
 * Slices are transferred, not copied, and never pass through the page. It works the same in browser workers, in
 * worker_threads and within one thread. If a peer is gone, or keeps a receive waiting for longer than the process group
 * allows, the waiting receives fail.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import { nowUs } from '../clock';
import type { Transport } from '../executor';
import { rest } from '../rest';
import { closePorts, type Ports } from './ports';
import { createReceives } from './receives';

interface Message {
  readonly tag: string;
  readonly data: Float32Array;
  /** When the message was sent; only on a link that is slowed down. */
  readonly sentUs?: number;
}

export interface PortTransportOptions {
  /** How long a receive may wait; absent: for ever. */
  readonly timeoutMs?: number;
  /** By device, how many times as long messages to it take. */
  readonly slowTo?: ReadonlyMap<DeviceIndex, number>;
}

export interface PortTransport extends Transport {
  /** The longest time that a receive has been waiting; undefined: none waits. */
  waitedMs(): number | undefined;
  /** Rejects all waiting and later receives with this reason, and closes the ports. */
  close(reason: string | LockstepError): void;
}

/** `ports` leads from device `own` to each peer. */
export function createPortTransport(
  own: DeviceIndex,
  ports: Ports,
  { timeoutMs, slowTo }: PortTransportOptions = {},
): PortTransport {
  const receives = createReceives(own, timeoutMs);
  let closed: LockstepError | undefined;

  for (const [peer, port] of ports) {
    /** Messages over a slow link arrive late, but in order. */
    let last: Promise<void> | undefined;
    const late = (message: Message, sentUs: number, factor: number) => {
      const dueUs = (factor - 1) * Math.max(0, nowUs() - sentUs);
      last = (last ?? Promise.resolve()).then(() => rest(dueUs)).then(() => receives.arrive(peer, message));
    };
    port.onmessage = ({ data: message }: MessageEvent<Message & { readonly factor?: number }>) => {
      if (message.sentUs === undefined || message.factor === undefined) receives.arrive(peer, message);
      else late(message, message.sentUs, message.factor);
    };
    // With this event (Node), a waiting rank notices by itself that the peer has died. Messages that the peer sent
    // before still count.
    port.addEventListener('close', () => receives.lose(peer));
  }
  return {
    send(_from, to, tag, data) {
      if (closed) return;
      const factor = slowTo?.get(to);
      const message = factor === undefined ? { tag, data } : { tag, data, factor, sentUs: nowUs() };
      must(ports.get(to), `a port from cuda:${own} to cuda:${to}`).postMessage(message, [data.buffer as ArrayBuffer]);
    },
    recv: (from, _to, tag) => (closed ? Promise.reject(closed) : receives.recv(from, tag)),
    waitedMs: () => receives.waitedMs(),
    close(reason) {
      closed ??= typeof reason === 'string' ? new LockstepError('rank-failed', reason) : reason;
      closePorts(ports);
      receives.close(closed);
    },
  };
}
