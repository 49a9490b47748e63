/**
 * How a device stores tensors that outlive a step. A tensor in half precision is stored as halves, two in each int32
 * word. Operators compute with float32 copies of it (emit-halves.ts). Called wherever such tensors are declared.
 */

import type { TensorType } from '../graph/op';
import { halfWords } from '../graph/ops/precision/half-words';
import type { BufferSpec } from '../program/instruction';
import type { HalfFormat } from '../tensor/half-bits';

export function storedAs(
  { shape, dtype }: TensorType,
  half: HalfFormat | undefined,
): Pick<BufferSpec, 'shape' | 'dtype' | 'halves' | 'asHalf'> {
  if (!half || dtype !== 'f32') return { shape, dtype };
  return { shape: halfWords(shape), dtype: 'i32', halves: { format: half, shape }, asHalf: half };
}
