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

export interface PortTransport extends Transport {
  /** Rejects every receive that waits, with this reason, and closes the ports. */
  close(reason: string): void;
}

/** `ports` leads from device `own` to each peer. */
export function createPortTransport(own: DeviceIndex, ports: ReadonlyMap<DeviceIndex, MessagePort>): PortTransport {
  const arrived = new Map<string, Float32Array[]>();
  const waiting = new Map<string, { resolve(data: Float32Array): void; reject(error: Error): void }[]>();
  const key = (peer: DeviceIndex, tag: string) => `${peer} ${tag}`;
  for (const [peer, port] of ports) {
    port.onmessage = ({ data: message }: MessageEvent<Message>) => {
      const id = key(peer, message.tag);
      const waiter = waiting.get(id)?.shift();
      if (waiter) waiter.resolve(message.data);
      else arrived.set(id, [...(arrived.get(id) ?? []), message.data]);
    };
  }
  return {
    send(_from, to, tag, data) {
      const message: Message = { tag, data };
      must(ports.get(to), `a port from cuda:${own} to cuda:${to}`).postMessage(message, [data.buffer as ArrayBuffer]);
    },
    recv(from, _to, tag) {
      const id = key(from, tag);
      const data = arrived.get(id)?.shift();
      if (data) return Promise.resolve(data);
      return new Promise((resolve, reject) => {
        waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
      });
    },
    close(reason) {
      for (const port of ports.values()) port.close();
      for (const list of waiting.values())
        for (const { reject } of list) reject(new LockstepError('rank-failed', reason));
      waiting.clear();
    },
  };
}

/** Ports for a full mesh: result[d] leads from device d to every peer. */
export function createPortMesh(devices: number): readonly ReadonlyMap<DeviceIndex, MessagePort>[] {
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
