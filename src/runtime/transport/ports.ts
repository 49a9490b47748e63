/**
 * The ports between ranks that share no memory, made once at launch. port-transport.ts sends messages over them; it is
 * loaded only for runs with such ranks.
 */
import type { DeviceIndex } from '../../protocol/trace';

/** From one device to each peer. */
export type Ports = ReadonlyMap<DeviceIndex, MessagePort>;

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
