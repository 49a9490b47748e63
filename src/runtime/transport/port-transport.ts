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

interface Message {
  readonly tag: string;
  readonly data: Float32Array;
  /** Only over a link that is slowed down: when it left. */
  readonly sentUs?: number;
}

interface Waiter {
  readonly peer: DeviceIndex;
  readonly sinceMs: number;
  resolve(data: Float32Array): void;
  reject(error: Error): void;
}

/** What has arrived under one tag and who waits for it; one of the two is empty. */
interface Line {
  readonly arrived: Float32Array[];
  readonly waiting: Waiter[];
}

export type Ports = ReadonlyMap<DeviceIndex, MessagePort>;

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

/** In PyTorch's words: gloo says the first, with the address of the peer. */
const closedByPeer = (peer: DeviceIndex): LockstepError =>
  new LockstepError('rank-failed', `Connection closed by peer [cuda:${peer}]`, '', { device: peer });
const timedOut = (ms: number, own: DeviceIndex, peer: DeviceIndex): LockstepError =>
  new LockstepError('timeout', `Timed out waiting ${Math.round(ms)}ms for recv operation to complete`, '', {
    device: own,
    peer,
  });

/** `ports` leads from device `own` to each peer. */
export function createPortTransport(
  own: DeviceIndex,
  ports: Ports,
  { timeoutMs, slowTo }: PortTransportOptions = {},
): PortTransport {
  const lines = new Map<string, Line>();
  const gone = new Set<DeviceIndex>();
  let closed: LockstepError | undefined;
  let watch: ReturnType<typeof setTimeout> | undefined;
  const lineOf = (peer: DeviceIndex, tag: string): Line => {
    const key = `${peer} ${tag}`;
    const line = lines.get(key) ?? { arrived: [], waiting: [] };
    lines.set(key, line);
    return line;
  };
  const allWaiting = (): Waiter[] => [...lines.values()].flatMap(({ waiting }) => waiting);
  const arrive = (peer: DeviceIndex, { tag, data }: Message) => {
    const { arrived, waiting } = lineOf(peer, tag);
    const waiter = waiting.shift();
    if (waiter) waiter.resolve(data);
    else arrived.push(data);
  };
  /** Goes on only while somebody waits, so that an idle group costs nothing. */
  const keepWatch = (limitMs: number) => {
    if (watch !== undefined) return;
    const look = () => {
      watch = undefined;
      const waiting = allWaiting();
      if (waiting.length === 0) return;
      const oldest = waiting.reduce((a, b) => (b.sinceMs < a.sinceMs ? b : a));
      const leftMs = oldest.sinceMs + limitMs - performance.now();
      if (leftMs > 0) watch = setTimeout(look, leftMs);
      else oldest.reject(timedOut(limitMs, own, oldest.peer));
    };
    watch = setTimeout(look, limitMs);
  };

  for (const [peer, port] of ports) {
    /** What is slow arrives late, and in order. */
    let last: Promise<void> | undefined;
    const late = (message: Message, sentUs: number, factor: number) => {
      const dueUs = (factor - 1) * Math.max(0, nowUs() - sentUs);
      last = (last ?? Promise.resolve()).then(() => rest(dueUs)).then(() => arrive(peer, message));
    };
    port.onmessage = ({ data: message }: MessageEvent<Message & { readonly factor?: number }>) => {
      if (message.sentUs === undefined || message.factor === undefined) arrive(peer, message);
      else late(message, message.sentUs, message.factor);
    };
    // Where there is this event (Node), a waiting rank learns by itself that the peer has died. What it sent
    // before still counts.
    port.addEventListener('close', () => {
      gone.add(peer);
      for (const waiter of allWaiting()) if (waiter.peer === peer) waiter.reject(closedByPeer(peer));
    });
  }
  return {
    send(_from, to, tag, data) {
      if (closed) return;
      const factor = slowTo?.get(to);
      const message = factor === undefined ? { tag, data } : { tag, data, factor, sentUs: nowUs() };
      must(ports.get(to), `a port from cuda:${own} to cuda:${to}`).postMessage(message, [data.buffer as ArrayBuffer]);
    },
    recv(from, _to, tag) {
      if (closed) return Promise.reject(closed);
      const { arrived, waiting } = lineOf(from, tag);
      const data = arrived.shift();
      if (data) return Promise.resolve(data);
      if (gone.has(from)) return Promise.reject(closedByPeer(from));
      if (timeoutMs !== undefined) keepWatch(timeoutMs);
      return new Promise((resolve, reject) => {
        waiting.push({ peer: from, sinceMs: performance.now(), resolve, reject });
      });
    },
    waitedMs() {
      const waiting = allWaiting();
      return waiting.length === 0 ? undefined : performance.now() - Math.min(...waiting.map(({ sinceMs }) => sinceMs));
    },
    close(reason) {
      closed ??= typeof reason === 'string' ? new LockstepError('rank-failed', reason) : reason;
      clearTimeout(watch);
      closePorts(ports);
      for (const waiter of allWaiting()) waiter.reject(closed);
      lines.clear();
    },
  };
}

export function closePorts(ports: Ports): void {
  for (const port of ports.values()) port.close();
}

/** Ports for a full mesh: result[d] leads from device d to every peer. */
export function createPortMesh(devices: number): readonly Ports[] {
  const mesh = Array.from({ length: devices }, () => new Map<DeviceIndex, MessagePort>());
  for (let a = 0; a < devices; a++) {
    for (let b = a + 1; b < devices; b++) {
      const { port1, port2 } = new MessageChannel();
      mesh[a]?.set(b, port1);
      mesh[b]?.set(a, port2);
    }
  }
  return mesh;
}
