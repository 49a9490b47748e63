/** Scalar types as torch prints them in fingerprints and in the flight recorder. */
import type { DType } from './shape';

export const DTYPE_NAME: Readonly<Record<DType, string>> = { f32: 'Float', i32: 'Int' };
