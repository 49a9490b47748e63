/**
 * The transport between ranks that share no memory: one link per pair of devices, distributed once at launch. Slices
 * are transferred, not copied, and never pass through the page. It works the same in browser workers, in worker_threads
 * and within one thread. If a peer is gone, or keeps a receive waiting for longer than the process group allows, the
 * waiting receives fail.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import { nowUs } from '../clock';
import type { Transport } from '../executor';
import { closePorts, type RankLinks } from './rank-links';
import { createReceives } from './receives';
import { createSlowLink } from './slow-link';

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
  ports: RankLinks,
  { timeoutMs, slowTo }: PortTransportOptions = {},
): PortTransport {
  const receives = createReceives(own, timeoutMs);
  let closed: LockstepError | undefined;

  for (const [peer, port] of ports) {
    const slowly = createSlowLink();
    port.onmessage = ({ data: message }: MessageEvent<Message & { readonly factor?: number }>) => {
      const { sentUs, factor } = message;
      if (sentUs === undefined || factor === undefined) receives.arrive(peer, message);
      else slowly(sentUs, factor, () => receives.arrive(peer, message));
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
    take: (from, _to, tag) => (closed ? undefined : receives.take(from, tag)),
    waitedMs: () => receives.waitedMs(),
    close(reason) {
      closed ??= typeof reason === 'string' ? new LockstepError('rank-failed', reason) : reason;
      closePorts(ports);
      receives.close(closed);
    },
  };
}
