/**
 * default_hooks.fp16_compress_hook: gradients cross the wire as float16, with 11 bits of precision; they overflow above
 * 65504.
 */
import { reduceHalves } from './reduce-halves';

export const fp16Compress = reduceHalves({ name: 'fp16Compress', format: 'f16' });
