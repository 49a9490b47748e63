/**
 * The transport between ranks that share no memory: one MessagePort a pair of devices, handed out once at launch. A
 * slice is transferred, not copied. It works the same in browser workers, in worker_threads and within one thread.
 * Nothing passes through the page. A peer that is gone, and one that lets a receive wait for longer than the process
 * group allows, is an error of the receives that wait for it.
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
  /** Only over a link that is slowed down: when it left. */
  readonly sentUs?: number;
}

export interface PortTransportOptions {
  /** How long a receive may wait; absent: for ever. */
  readonly timeoutMs?: number;
  /** Messages to that device take so many times as long. */
  readonly slowTo?: ReadonlyMap<DeviceIndex, number>;
}

export interface PortTransport extends Transport {
  /** For how long the receive has waited that has waited longest; undefined: none waits. */
  waitedMs(): number | undefined;
  /** Rejects every receive that waits, and every later one, with this reason, and closes the ports. */
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
    /** What is slow arrives late, and in order. */
    let last: Promise<void> | undefined;
    const late = (message: Message, sentUs: number, factor: number) => {
      const dueUs = (factor - 1) * Math.max(0, nowUs() - sentUs);
      last = (last ?? Promise.resolve()).then(() => rest(dueUs)).then(() => receives.arrive(peer, message));
    };
    port.onmessage = ({ data: message }: MessageEvent<Message & { readonly factor?: number }>) => {
      if (message.sentUs === undefined || message.factor === undefined) receives.arrive(peer, message);
      else late(message, message.sentUs, message.factor);
    };
    // Where there is this event (Node), a waiting rank learns by itself that the peer has died. What it sent
    // before still counts.
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
