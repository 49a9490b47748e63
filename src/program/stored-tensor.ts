/**
 * The tensor in a buffer, as the host sees it: a buffer whose words hold halves is a float32 tensor for whoever writes
 * or reads it. Called by the executors and by code that counts, saves and restores tensors.
 */
import type { TensorType } from '../graph/op';
import { HALF_BITS } from '../tensor/half-bits-part';
import { allocate, elements, type HostArray } from '../tensor/shape';
import type { BufferSpec } from './instruction';

type Stored = Pick<BufferSpec, 'shape' | 'dtype' | 'halves'>;

export const tensorOf = ({ shape, dtype, halves }: Stored): TensorType =>
  halves ? { shape: halves.shape, dtype: 'f32' } : { shape, dtype };

/** What the buffer holds if the host writes these elements; words stay as they are. */
export function toStored({ shape, dtype, halves }: Stored, data: HostArray): HostArray {
  if (data instanceof Int32Array || dtype === 'f32') return data;
  if (!halves) return Int32Array.from(data);
  const words = new Int32Array(elements(shape));
  HALF_BITS.get().storeHalves(halves.format, data, words);
  return words;
}

/** The elements as numbers; a new array. */
export function fromStored({ halves }: Stored, data: HostArray): Float32Array {
  if (halves && data instanceof Int32Array)
    return HALF_BITS.get().floatsOfHalves(halves.format, data, elements(halves.shape));
  // Copies memory at once; from() would copy the elements one by one.
  return data instanceof Float32Array ? data.slice() : Float32Array.from(data);
}

/** What the buffer holds before the first step. */
export function filled(spec: BufferSpec): HostArray {
  const { shape, dtype } = tensorOf(spec);
  return toStored(spec, allocate(dtype, elements(shape)).fill(spec.fill ?? 0));
}
