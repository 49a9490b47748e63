/**
 * GPU memory in words of four bytes, the unit of copies, block tables and strides of kernels. A buffer's elements may
 * be smaller; copies must then begin and end at a word. Called where copies and dispatches are planned.
 */
import { LockstepError } from '../../base/errors';
import { bytesOf, type DType, elements, type Shape } from '../../tensor/shape';

export const WORD_BYTES = 4;

const words = (bytes: number, what: string): number => {
  if (bytes % WORD_BYTES !== 0)
    throw new LockstepError('program', `${what}: ${bytes} bytes are not whole words of ${WORD_BYTES} bytes.`);
  return bytes / WORD_BYTES;
};

/** Words of `length` elements. */
export const wordsOf = (dtype: DType, length: number): number => words(length * bytesOf(dtype), `${length} ${dtype}`);

/** Words of a whole tensor, rounded up, because buffers begin and end at words. */
export const wordsOfTensor = ({ shape, dtype }: { readonly shape: Shape; readonly dtype: DType }): number =>
  Math.ceil((elements(shape) * bytesOf(dtype)) / WORD_BYTES);

/** The place of an element of a buffer, in words from the start of its GPUBuffer. */
export const wordAt = (
  { offset, spec }: { readonly offset: number; readonly spec: { readonly name: string; readonly dtype: DType } },
  element = 0,
): number => words(offset + element * bytesOf(spec.dtype), spec.name);
