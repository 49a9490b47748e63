/**
 * The ports by which ranks that share no memory reach each other, made once at launch. What goes over them is
 * port-transport.ts's, which a run fetches only where it has such ranks.
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
