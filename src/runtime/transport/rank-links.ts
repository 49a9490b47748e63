/**
 * The links between ranks that share no memory, made once at launch: MessagePorts between threads, or direct calls
 * within one thread. port-transport.ts sends messages over them; it is loaded only for runs with such ranks.
 */
import type { DeviceIndex } from '../../protocol/trace';

/** What the transport needs of a MessagePort. */
export interface RankLink {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: 'close', listener: () => void): void;
  close(): void;
}

/** From one device to each peer. */
export type RankLinks = ReadonlyMap<DeviceIndex, RankLink>;
export type Ports = ReadonlyMap<DeviceIndex, MessagePort>;

export function closePorts(ports: RankLinks): void {
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

/**
 * Links for a full mesh within one thread: a message arrives at once, without a turn of the event loop. A rank of this
 * thread does not end alone, so no link reports its end.
 */
export function createDirectMesh(devices: number): readonly RankLinks[] {
  const mesh = Array.from({ length: devices }, () => new Map<DeviceIndex, DirectLink>());
  for (let a = 0; a < devices; a++) {
    for (let b = a + 1; b < devices; b++) {
      const [one, two] = [new DirectLink(), new DirectLink()];
      one.other = two;
      two.other = one;
      mesh[a]?.set(b, one);
      mesh[b]?.set(a, two);
    }
  }
  return mesh;
}

class DirectLink implements RankLink {
  onmessage: ((event: MessageEvent) => void) | null = null;
  other: DirectLink | undefined;

  postMessage(data: unknown): void {
    // The transport reads nothing else of the event.
    this.other?.onmessage?.({ data } as MessageEvent);
  }

  addEventListener(): void {}

  close(): void {
    this.onmessage = null;
  }
}
