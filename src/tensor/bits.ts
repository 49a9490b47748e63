/** The bits of an array's elements, as a view: copying integers keeps the bits of every NaN. */
import type { HostArray } from './shape';

export const bitsOf = ({ buffer, byteOffset, length }: HostArray): Int32Array =>
  new Int32Array(buffer, byteOffset, length);
