/**
 * The elements of a written buffer that a trace keeps, and their values for readers: floats, also for integers and
 * halves. Called by the executors.
 */
import { CAPTURE_LIMIT, type Captured, capturedElements, type Slice } from '../protocol/trace';
import { HALF_BITS } from '../tensor/half-bits-part';
import type { HostArray } from '../tensor/shape';
import { elements } from '../tensor/shape';
import type { BufferSpec } from './instruction';

type CapturedSpec = Pick<BufferSpec, 'shape' | 'halves'>;

/** Number of captured elements (or words of halves), from the first written one on. */
export function capturedLength({ shape, halves }: CapturedSpec, written: number): number {
  if (written !== elements(shape)) return Math.min(written, CAPTURE_LIMIT);
  return Math.min(written, halves ? Math.ceil(capturedElements(halves.shape) / 2) : capturedElements(shape));
}

/** `first`: index in the buffer where the data begins. */
export function capturedValues(
  name: string,
  { halves }: CapturedSpec,
  { first, data }: { readonly first: number; readonly data: HostArray },
): Captured {
  if (!halves || !(data instanceof Int32Array)) return { buffer: name, offset: first, values: Float32Array.from(data) };
  const length = Math.min(2 * data.length, elements(halves.shape) - 2 * first);
  return { buffer: name, offset: 2 * first, values: HALF_BITS.get().floatsOfHalves(halves.format, data, length) };
}

/** The slice that a message carries, in elements of the tensor. */
export function carriedSlice({ halves }: Pick<BufferSpec, 'halves'>, slice: Slice): Slice {
  if (!halves) return slice;
  const offset = 2 * slice.offset;
  return { ...slice, offset, length: Math.min(2 * slice.length, elements(halves.shape) - offset) };
}
