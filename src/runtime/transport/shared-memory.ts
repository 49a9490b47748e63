/**
 * The memory that ranks in workers share to send short messages, made once at launch if the page may share memory:
 * `states` has one word per device (how it can be woken) and one counter of the messages that reach it by port; `rings`
 * has one ring per pair of devices. shared-transport.ts sends messages through it.
 */
import type { DeviceIndex } from '../../protocol/trace';
import { RING_HEADER, type Ring, ringOver } from './message-ring';

export interface SharedMemory {
  readonly devices: number;
  readonly states: SharedArrayBuffer;
  readonly rings: SharedArrayBuffer;
}

/** A device's two words are in a cache line of their own. */
const WORDS_PER_DEVICE = 16;
/** The rings of all pairs together have at most this many words, unless there are more than 64 devices. */
const ALL_WORDS = 2 ** 20;
const LEAST_WORDS = 2 ** 8;
const MOST_WORDS = 2 ** 14;

/** A power of two, as message-ring.ts needs. */
const wordsPerRing = (devices: number): number =>
  2 ** Math.floor(Math.log2(Math.min(MOST_WORDS, Math.max(LEAST_WORDS, ALL_WORDS / devices ** 2))));

export function createSharedMemory(devices: number): SharedMemory {
  const words = RING_HEADER + wordsPerRing(devices);
  return {
    devices,
    states: new SharedArrayBuffer(4 * WORDS_PER_DEVICE * devices),
    rings: new SharedArrayBuffer(4 * words * devices ** 2),
  };
}

/** Indices of a device's words in `states`. */
export const stateOf = (device: DeviceIndex): number => WORDS_PER_DEVICE * device;
export const mailOf = (device: DeviceIndex): number => WORDS_PER_DEVICE * device + 1;

/** The ring for messages between two devices. Only `from` writes, and only `to` reads. */
export function ringBetween({ devices, rings }: SharedMemory, from: DeviceIndex, to: DeviceIndex): Ring {
  const words = RING_HEADER + wordsPerRing(devices);
  return ringOver(new Int32Array(rings, 4 * words * (devices * from + to), words));
}
