/**
 * A Transport in memory for tests: messages with one tag arrive in the order in which they were sent, each a microtask
 * later at the earliest.
 */
import type { DeviceIndex } from '../../../protocol/trace';
import type { Transport } from '../../executor';

export function memoryTransport(): Transport {
  const queues = new Map<
    string,
    { readonly waiting: ((data: Float32Array) => void)[]; readonly arrived: Float32Array[] }
  >();
  const queue = (from: DeviceIndex, to: DeviceIndex, tag: string) => {
    const key = `${from} ${to} ${tag}`;
    const known = queues.get(key) ?? { waiting: [], arrived: [] };
    queues.set(key, known);
    return known;
  };
  return {
    send(from, to, tag, data) {
      const { waiting, arrived } = queue(from, to, tag);
      const receiver = waiting.shift();
      if (receiver) receiver(data);
      else arrived.push(data);
    },
    recv(from, to, tag) {
      const { waiting, arrived } = queue(from, to, tag);
      const data = arrived.shift();
      return data ? Promise.resolve(data) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
