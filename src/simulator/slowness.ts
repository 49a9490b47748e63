/**
 * What stragglers set by hand do to the modelled clock: how many times as long a device's work, or a message, takes.
 * Called by simulate.ts.
 */
import type { Straggler } from '../protocol/config';
import type { DeviceIndex } from '../protocol/trace';

export interface Slowness {
  device(device: DeviceIndex): number;
  link(from: DeviceIndex, to: DeviceIndex): number;
}

/** Of several for the same one, the factors multiply. */
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
