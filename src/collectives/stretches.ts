/** How a buffer is cut: stretches of elements, and the cost of sending them. Called by the algorithms. */
import type { Link } from '../protocol/collective';
import type { Slice } from '../protocol/trace';
import { bytesOf, type DType } from '../tensor/shape';

/** Elements [offset, offset + length). */
export type Stretch = Pick<Slice, 'offset' | 'length'>;

export const mod = (a: number, n: number): number => ((a % n) + n) % n;

/** Part k of `parts`, whose lengths differ by at most one. */
export function share({ offset, length }: Stretch, parts: number, k: number): Stretch {
  const from = Math.floor((k * length) / parts);
  return { offset: offset + from, length: Math.floor(((k + 1) * length) / parts) - from };
}

/** Total elements of several stretches. */
export const lengthOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { length }) => sum + length, 0);

/** The input of a cost: a number of bytes, and their type, by default float32. */
interface Sized {
  readonly bytes: number;
  readonly dtype?: DType;
}

export const elementsOf = ({ bytes, dtype = 'f32' }: Sized): number => bytes / bytesOf(dtype);

/** Bytes of that many elements of the same type. */
export const bytesOfElements = (elements: number, { dtype = 'f32' }: Pick<Sized, 'dtype'>): number =>
  elements * bytesOf(dtype);

/** alpha + bytes / beta, microseconds. */
export const messageUs = (bytes: number, { latencyUs, bytesPerSecond }: Link): number =>
  latencyUs + (1e6 * bytes) / bytesPerSecond;

/**
 * `count` messages that one port sends, or receives, one after the other: alpha / 2 keeps the port busy (LogP's
 * overhead), the other alpha / 2 is time on the wire and counts once.
 */
export const burstUs = (count: number, bytes: number, { latencyUs, bytesPerSecond }: Link): number =>
  count === 0 ? 0 : count * (latencyUs / 2 + (1e6 * bytes) / bytesPerSecond) + latencyUs / 2;
