/**
 * The transport between ranks that share no memory: one MessagePort a pair of devices, handed out once at launch. A slice is
 * transferred, not copied. It works the same in browser workers, in worker_threads and within one thread. Nothing passes through the page.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import type { Transport } from '../executor';

interface Message {
  readonly tag: string;
  readonly data: Float32Array;
}

interface Waiter {
  resolve(data: Float32Array): void;
  reject(error: Error): void;
}

/** What has arrived under one tag and who waits for it; one of the two is empty. */
interface Line {
  readonly arrived: Float32Array[];
  readonly waiting: Waiter[];
}

export type Ports = ReadonlyMap<DeviceIndex, MessagePort>;

export interface PortTransport extends Transport {
  /** Rejects every receive that waits, and every later one, with this reason, and closes the ports. */
  close(reason: string): void;
}

/** `ports` leads from device `own` to each peer. */
export function createPortTransport(own: DeviceIndex, ports: Ports): PortTransport {
  const lines = new Map<string, Line>();
  let closed: LockstepError | undefined;
  const lineOf = (peer: DeviceIndex, tag: string): Line => {
    const key = `${peer} ${tag}`;
    const line = lines.get(key) ?? { arrived: [], waiting: [] };
    lines.set(key, line);
    return line;
  };
  for (const [peer, port] of ports) {
    port.onmessage = ({ data: message }: MessageEvent<Message>) => {
      const { arrived, waiting } = lineOf(peer, message.tag);
      const waiter = waiting.shift();
      if (waiter) waiter.resolve(message.data);
      else arrived.push(message.data);
    };
  }
  return {
    send(_from, to, tag, data) {
      const message: Message = { tag, data };
      must(ports.get(to), `a port from cuda:${own} to cuda:${to}`).postMessage(message, [data.buffer as ArrayBuffer]);
    },
    recv(from, _to, tag) {
      if (closed) return Promise.reject(closed);
      const { arrived, waiting } = lineOf(from, tag);
      const data = arrived.shift();
      if (data) return Promise.resolve(data);
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
      });
    },
    close(reason) {
      closed ??= new LockstepError('rank-failed', reason);
      closePorts(ports);
      for (const { waiting } of lines.values()) for (const { reject } of waiting) reject(closed);
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
