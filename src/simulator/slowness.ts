/**
 * The effect of artificial stragglers on the modelled clock: the factors by which a device's work, or a message, is
 * slower. Called by simulate.ts.
 */
import type { Straggler } from '../protocol/config';
import type { DeviceIndex } from '../protocol/trace';

export interface Slowness {
  device(device: DeviceIndex): number;
  link(from: DeviceIndex, to: DeviceIndex): number;
}

/** Several factors for the same device or link multiply. */
export function slownessOf(stragglers: readonly Straggler[]): Slowness {
  const factors = new Map<string, number>();
  for (const s of stragglers) {
    const key = s.type === 'rank' ? `${s.rank}` : `${s.from} ${s.to}`;
    factors.set(key, (factors.get(key) ?? 1) * s.factor);
  }
  return {
    device: (device) => factors.get(`${device}`) ?? 1,
    link: (from, to) => factors.get(`${from} ${to}`) ?? 1,
  };
}
